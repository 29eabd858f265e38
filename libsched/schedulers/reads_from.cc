// The proactive reads-from scheduler: constraints raise and lower pending events, partial order
// sampling decides inside the highest non-empty class. With no constraints it is partial order
// sampling.
#include <vector>

#include "libsched/schedulers/pos.h"

namespace rff {
namespace {

// One constraint and the state it is in during a run.
struct Tracked {
  Constraint constraint;
  std::uint64_t write_id;
  std::uint64_t read_id;
  bool from_init;
  bool active = true;
  std::uint32_t held_back = 0;  // decisions in which it kept a thread from running
  std::vector<std::size_t>
      lowered_now;  // indexes into the enabled threads, of the current decision
};

class ReadsFromScheduler : public PartialOrderSampling {
 public:
  ReadsFromScheduler(const Schedule& schedule, LastWriters& memory)
      : PartialOrderSampling(schedule.seed, schedule.scheduler == SchedulerKind::kWindow),
        memory_(memory),
        patience_(schedule.patience) {
    for (const Constraint& c : schedule.constraints.constraints()) {
      tracked_.push_back({c, c.write.id(), c.read.id(), c.write.op == OpKind::kInit, true, 0, {}});
    }
    active_ = tracked_.size();
  }

  Thread* pick(std::span<Thread* const> enabled) override {
    if (active_ == 0) {
      return PartialOrderSampling::pick(enabled);
    }
    raised_.assign(enabled.size(), false);
    lowered_.assign(enabled.size(), false);
    for (Tracked& t : tracked_) {
      if (t.active) {
        apply(t, enabled);
      }
    }
    Thread* chosen = PartialOrderSampling::pick(highest_class(enabled));
    charge(enabled, chosen);
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
  void apply(Tracked& t, std::span<Thread* const> enabled) {
    t.lowered_now.clear();
    bool read_waits = false;  // some enabled r would not read from w now
    for (std::size_t i = 0; i < enabled.size(); ++i) {
      const Operation& op = *enabled[i]->pending;
      if (op.id == t.read_id) {
        bool from_w = memory_.last_writer(op.address) == t.write_id;
        if (t.from_init && t.constraint.positive && !from_w) {
          continue;  // this memory has been written: its initial value does not come back
        }
        read_waits |= !from_w;
        mark(t, i, from_w == t.constraint.positive);
      }
    }
    for (std::size_t i = 0; i < enabled.size(); ++i) {
      const Operation& op = *enabled[i]->pending;
      if (!op.writes() || op.id == t.read_id) {
        continue;
      }
      if (op.id == t.write_id) {
        if (t.constraint.positive) {
          if (read_waits) {
            mark(t, i, true);
          }
        } else if (memory_.last_writer(op.address) != t.write_id) {
          mark(t, i, false);
        }
      } else if (same_location(op.event, t.constraint.read) &&
                 memory_.last_writer(op.address) == t.write_id) {
        mark(t, i, !t.constraint.positive);
      }
    }
  }

  void mark(Tracked& t, std::size_t i, bool raise) {
    (raise ? raised_ : lowered_)[i] = true;
    if (!raise) {
      t.lowered_now.push_back(i);
    }
  }

  std::span<Thread* const> highest_class(std::span<Thread* const> enabled) {
    for (int wanted : {1, 0, -1}) {
      class_.clear();
      for (std::size_t i = 0; i < enabled.size(); ++i) {
        if (raised_[i] - lowered_[i] == wanted) {
          class_.push_back(enabled[i]);
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
  void charge(std::span<Thread* const> enabled, Thread* chosen) {
    for (Tracked& t : tracked_) {
      if (!t.active || t.lowered_now.empty()) {
        continue;
      }
      bool held = false;
      for (std::size_t i : t.lowered_now) {
        held |= enabled[i] != chosen;
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
        drop(t, t.constraint.positive ? counts_.satisfied : counts_.rejected);
      }
    }
  }

  // init(x) → r can no longer be satisfied once x has been written. Only names of globals are
  // exact.
  void abandon_lost_inits(const Operation& op) {
    for (Tracked& t : tracked_) {
      if (t.active && t.from_init && t.constraint.positive &&
          op.event.place == LocationKind::kGlobal && same_location(op.event, t.constraint.read) &&
          op.id != t.read_id) {
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
  std::vector<signed char> raised_;
  std::vector<signed char> lowered_;
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
