// The proactive reads-from scheduler: constraints raise and lower pending events, partial order
// sampling decides inside the highest non-empty class. With no constraints it is partial order
// sampling.
#include <optional>
#include <vector>

#include "libsched/schedulers/pos.h"

namespace rff {
namespace {

// One constraint and the state it is in during a run.
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
  std::uint32_t held_back = 0;           // decisions in which it kept a thread from running
  std::vector<std::size_t> lowered_now;  // indexes of candidates of the current decision
};

// A thread that could run next, and what the constraints make of it.
struct Candidate {
  explicit Candidate(Thread* t)
      : thread(t), id(t->pending->id), writes(t->pending->writes()), location(t->pending->event) {}

  Thread* thread;
  std::uint64_t id;
  bool writes;
  Extent location;
  bool raised = false, lowered = false;
  std::optional<std::uint64_t> last_writer;  // of its memory, once somebody has asked
};

class ReadsFromScheduler : public PartialOrderSampling {
 public:
  ReadsFromScheduler(const Schedule& schedule, LastWriters& memory)
      : PartialOrderSampling(schedule.seed, schedule.scheduler == SchedulerKind::kWindow),
        memory_(memory),
        patience_(schedule.patience) {
    for (const Constraint& c : schedule.constraints.constraints()) {
      tracked_.emplace_back(c);
    }
    active_ = tracked_.size();
  }

  Thread* pick(std::span<Thread* const> enabled) override {
    if (active_ == 0) {
      return PartialOrderSampling::pick(enabled);
    }
    candidates_.clear();
    for (Thread* t : enabled) {
      candidates_.emplace_back(t);
    }
    for (Tracked& t : tracked_) {
      if (t.active) {
        apply(t);
      }
    }
    Thread* chosen = PartialOrderSampling::pick(highest_class());
    charge(chosen);
    return chosen;
  }

  void executed(Thread& t, const Operation& op, std::span<Thread* const> threads) override {
    if (active_ > 0 && op.reads()) {
      observe_read(op);
    }
    if (active_ > 0 && op.writes()) {
      abandon_lost_inits(op);
    }
    PartialOrderSampling::executed(t, op, threads);
  }

  ConstraintCounts constraint_counts() const override { return counts_; }

 private:
  // Rows of the two tables of the specification. `x` is the location of the pending event itself:
  // constraints name locations coarsely, the last write is that of the memory the event is about to
  // touch.
  void apply(Tracked& t) {
    t.lowered_now.clear();
    bool read_waits = false;  // some enabled r would not read from w now
    for (Candidate& c : candidates_) {
      if (c.id == t.read_id) {
        bool from_w = wrote_last(t, c);
        if (t.from_init && t.positive && !from_w) {
          continue;  // this memory has been written: its initial value does not come back
        }
        read_waits |= !from_w;
        mark(t, c, from_w == t.positive);
      }
    }
    for (Candidate& c : candidates_) {
      if (!c.writes || c.id == t.read_id) {
        continue;
      }
      if (c.id == t.write_id) {
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

  // Whether w was the last to write where the candidate is about to read or write.
  bool wrote_last(const Tracked& t, Candidate& c) {
    if (!c.last_writer) {
      c.last_writer = memory_.last_writer(c.thread->pending->address);
    }
    return *c.last_writer == t.write_id;
  }

  void mark(Tracked& t, Candidate& c, bool raise) {
    (raise ? c.raised : c.lowered) = true;
    if (!raise) {
      t.lowered_now.push_back(static_cast<std::size_t>(&c - candidates_.data()));
    }
  }

  std::span<Thread* const> highest_class() {
    for (int wanted : {1, 0, -1}) {
      class_.clear();
      for (const Candidate& c : candidates_) {
        if (c.raised - c.lowered == wanted) {
          class_.push_back(c.thread);
        }
      }
      if (!class_.empty()) {
        break;
      }
    }
    return class_;
  }

  // A constraint that has held a thread back for `patience` decisions is abandoned: it may not
  // starve a program.
  void charge(const Thread* chosen) {
    for (Tracked& t : tracked_) {
      if (!t.active || t.lowered_now.empty()) {
        continue;
      }
      bool held = false;
      for (std::size_t i : t.lowered_now) {
        held |= candidates_[i].thread != chosen;
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

  // init(x) → r can no longer be satisfied once x has been written. Only names of globals are
  // exact.
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
  std::vector<Candidate> candidates_;
  std::vector<Thread*> class_;
};

}  // namespace

std::unique_ptr<Scheduler> make_reads_from(const Schedule& schedule, LastWriters& memory) {
  return std::make_unique<ReadsFromScheduler>(schedule, memory);
}

namespace {

std::unique_ptr<Scheduler> make_policy(const Schedule& schedule, LastWriters& memory) {
  switch (schedule.scheduler) {
    case SchedulerKind::kPos: return make_pos(schedule.seed);
    case SchedulerKind::kPct:
      return make_pct(schedule.seed, schedule.pct_depth, schedule.pct_length);
    case SchedulerKind::kRandom: return make_random_walk(schedule.seed);
    case SchedulerKind::kSteady: return make_steady();
    case SchedulerKind::kRoundRobin: return make_round_robin(schedule.seed);
    default: return make_reads_from(schedule, memory);
  }
}

}  // namespace

std::unique_ptr<Scheduler> make_scheduler(const Schedule& schedule, LastWriters& memory) {
  std::unique_ptr<Scheduler> policy = make_policy(schedule, memory);
  return schedule.guided ? make_guided(schedule.prefix, std::move(policy)) : std::move(policy);
}

}  // namespace rff
