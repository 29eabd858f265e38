// The proactive reads-from scheduler: constraints raise and lower pending events, and partial order
// sampling picks from the highest non-empty class. Without constraints it is partial order
// sampling.
#include <algorithm>
#include <optional>
#include <span>
#include <vector>

#include "libsched/engine/schedulers/pos.h"

namespace rff {
namespace {

// One constraint and its state during a run.
struct Tracked {
  explicit Tracked(const Constraint& c)
      : write_id(c.write.id()),
        read_id(c.read.id()),
        location(c.read),
        positive(c.positive),
        from_init(c.write.op == OpKind::kInit) {}

  std::uint64_t write_id;
  std::uint64_t read_id;
  Extent location;  // of the read
  bool positive;
  bool from_init;
  bool active = true;
  std::uint32_t held_back = 0;            // decisions in which it kept a thread from running
  std::vector<const Crowd*> lowered_now;  // crowds it lowered in the current decision

  // Returns whether the constraint may raise or lower threads with this operation.
  bool concerns(const Operation& op) const {
    return op.id == read_id || op.id == write_id ||
           (op.writes() && Extent(op.event).overlaps(location));
  }
};

// A crowd that some constraint concerned when it formed.
struct Concerned {
  const Crowd* crowd;
  Extent location;
};

// A concerned crowd that could run next, and how the constraints classify it.
struct Candidate {
  const Crowd* crowd;
  Extent location;
  bool raised = false, lowered = false;
  std::optional<std::uint64_t> last_writer = {};  // of its memory, once known
};

class ReadsFromScheduler : public PartialOrderSampling {
 public:
  // `window`: see Sampling.
  ReadsFromScheduler(const Schedule& schedule, LastWriters& memory, bool window)
      : PartialOrderSampling(schedule.seed, window ? Sampling::kWindow : Sampling::kUsual), memory_(memory), patience_(schedule.patience) {
    for (const Constraint& c : schedule.constraints.constraints()) {
      tracked_.emplace_back(c);
    }
    active_ = tracked_.size();
  }

  void pending(Thread& t) override {
    const Operation& op = *t.pending;
    if (active_ > 0 && t.crowd->size == 1 &&
        std::any_of(tracked_.begin(), tracked_.end(),
                    [&](const Tracked& k) { return k.active && k.concerns(op); })) {
      concerned_.push_back({t.crowd, Extent(op.event)});
    }
    PartialOrderSampling::pending(t);
  }

  void withdrawn(Thread& t) override {
    if (t.crowd->size == 1 && !concerned_.empty()) {
      std::erase_if(concerned_, [&](const Concerned& c) { return c.crowd == t.crowd; });
    }
    PartialOrderSampling::withdrawn(t);
  }

  Thread* pick(const PendingThreads& threads) override {
    candidates_.clear();
    for (const Concerned& c : concerned_) {
      if (active_ > 0 && c.crowd->may_run()) {
        candidates_.push_back({c.crowd, c.location});
      }
    }
    if (candidates_.empty()) {
      return PartialOrderSampling::pick(threads);
    }
    for (Tracked& t : tracked_) {
      if (t.active) {
        apply(t);
      }
    }
    Thread* chosen = first_of_highest_class();
    charge(*chosen);
    return chosen;
  }

  void executed(Thread& t, const Operation& op, const PendingThreads& others) override {
    if (active_ > 0 && op.reads()) {
      observe_read(op);
    }
    if (active_ > 0 && op.writes()) {
      abandon_lost_inits(op);
    }
    PartialOrderSampling::executed(t, op, others);
  }

  ConstraintCounts constraint_counts() const override { return counts_; }

 private:
  // Applies the rows of the two tables of the specification. `x` is the location of the pending
  // event itself: constraints name locations coarsely, and the last write is that of the memory the
  // event is about to touch.
  void apply(Tracked& t) {
    t.lowered_now.clear();
    bool read_waits = false;  // some enabled r would not read from w now
    for (Candidate& c : candidates_) {
      if (c.crowd->id == t.read_id) {
        bool from_w = wrote_last(t, c);
        if (t.from_init && t.positive && !from_w) {
          continue;  // already written: the initial value does not come back
        }
        read_waits |= !from_w;
        mark(t, c, from_w == t.positive);
      }
    }
    for (Candidate& c : candidates_) {
      if (!c.crowd->writes || c.crowd->id == t.read_id) {
        continue;
      }
      if (c.crowd->id == t.write_id) {
        if (t.positive) {
          if (read_waits) {
            mark(t, c, true);
          }
        } else if (!wrote_last(t, c)) {
          mark(t, c, false);
        }
      } else if (c.location.overlaps(t.location) && wrote_last(t, c)) {
        mark(t, c, !t.positive);
      }
    }
  }

  // Returns whether w was the last to write where the candidate is about to read or write.
  bool wrote_last(const Tracked& t, Candidate& c) {
    if (!c.last_writer) {
      c.last_writer = memory_.last_writer(c.crowd->touches);
    }
    return *c.last_writer == t.write_id;
  }

  static void mark(Tracked& t, Candidate& c, bool raise) {
    (raise ? c.raised : c.lowered) = true;
    if (!raise) {
      t.lowered_now.push_back(c.crowd);
    }
  }

  Thread* first_of_highest_class() {
    Thread* raised = first_of(in_class(1));
    if (raised != nullptr) {
      return raised;
    }
    std::span<const Crowd* const> lowered = in_class(-1);
    Thread* other = first_without(lowered);
    return other != nullptr ? other : first_of(lowered);
  }
  std::span<const Crowd* const> in_class(int wanted) {
    class_.clear();
    for (const Candidate& c : candidates_) {
      if (c.raised - c.lowered == wanted) {
        class_.push_back(c.crowd);
      }
    }
    return class_;
  }

  // Abandons constraints that have held a thread back for `patience` decisions: they must not
  // starve the program.
  void charge(const Thread& chosen) {
    for (Tracked& t : tracked_) {
      if (!t.active || t.lowered_now.empty()) {
        continue;
      }
      bool held = false;
      for (const Crowd* c : t.lowered_now) {
        held |= c != chosen.crowd || c->size > 1;
      }
      if (held && ++t.held_back > patience_) {
        drop(t, counts_.abandoned);
      }
    }
  }

  void observe_read(const Operation& op) {
    for (Tracked& t : tracked_) {
      if (!t.active || op.id != t.read_id) {
        continue;
      }
      if (memory_.last_writer(op.address) == t.write_id) {
        drop(t, t.positive ? counts_.satisfied : counts_.rejected);
      }
    }
  }

  // Abandons init(x) → r once x has been written. Only for globals, whose names are exact.
  void abandon_lost_inits(const Operation& op) {
    if (op.event.place != LocationKind::kGlobal) {
      return;
    }
    Extent written(op.event);
    for (Tracked& t : tracked_) {
      if (t.active && t.from_init && t.positive && op.id != t.read_id &&
          written.overlaps(t.location)) {
        drop(t, counts_.abandoned);
      }
    }
  }

  void drop(Tracked& t, std::uint32_t& counter) {
    t.active = false;
    --active_;
    ++counter;
  }

  LastWriters& memory_;
  std::uint32_t patience_;
  std::vector<Tracked> tracked_;
  std::size_t active_ = 0;
  ConstraintCounts counts_;
  std::vector<Concerned> concerned_;
  std::vector<Candidate> candidates_;
  std::vector<const Crowd*> class_;
};

}  // namespace

std::unique_ptr<Scheduler> make_reads_from(const Schedule& schedule, LastWriters& memory) {
  return std::make_unique<ReadsFromScheduler>(schedule, memory, false);
}

std::unique_ptr<Scheduler> make_window(const Schedule& schedule, LastWriters& memory) {
  return std::make_unique<ReadsFromScheduler>(schedule, memory, true);
}

}  // namespace rff
