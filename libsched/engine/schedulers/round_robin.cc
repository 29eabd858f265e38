// Round robin: the first thread runs until it has to wait; from then on each point belongs to
// another thread, the youngest first. It opens a search: all threads are alive at the same time,
// and none gets through two accesses without interruption.
//
// Threads in lockstep do not reveal bugs that need one of them far ahead. So after a while, or from
// the start if the seed is odd (then the eldest may be first), each thread gets its own number of
// points in a row. After a barrier they run one after the other for a while, since no thread in
// lockstep would miss the next barrier.
#include <vector>

#include "libsched/engine/schedulers/scheduler.h"

namespace rff {
namespace {

constexpr std::uint64_t kInStep = 24;  // points of each thread, with an even seed
constexpr std::uint64_t kMostInARow = 3;
constexpr std::uint64_t kAfterBarrier = 32;

// The parity of the seed selects the mode: stored schedules depend on it.
constexpr bool starts_in_step(std::uint64_t seed) { return seed % 2 == 0; }

class RoundRobin : public Scheduler {
 public:
  explicit RoundRobin(std::uint64_t seed)
      : random_(seed),
        in_step_(starts_in_step(seed) ? kInStep : 0),
        youngest_first_(in_step_ > 0 || random_.chance(1, 2)) {}

  Thread* pick(const PendingThreads& threads) override {
    const ThreadSet& able = threads.eager();
    if (opening_ && able.contains(0)) {
      return &threads[0];
    }
    opening_ = false;
    if (left_ > 0 && able.contains(last_)) {
      --left_;
      return &threads[last_];
    }
    Thread& t = threads[next(able)];
    Turns& turns = of(t.index);
    if (turns.points >= in_step_) {
      bool starts = t.pending->op == OpKind::kThreadStart;  // not an access
      left_ = turns.in_a_row - (starts ? 0 : 1);
    }
    return &t;
  }

  void executed(Thread& t, const Operation& op, const PendingThreads&) override {
    opening_ &= t.index == 0;
    of(t.index).points += opening_ ? 0 : 1;
    last_ = t.index;
    if (op.op == OpKind::kBarrier) {
      left_ = kAfterBarrier;
    }
  }

 private:
  std::uint32_t next(const ThreadSet& able) const {
    std::size_t count = able.size();
    std::size_t lower = able.below(last_);
    if (youngest_first_) {
      return able.at(lower > 0 ? lower - 1 : count - 1);
    }
    std::size_t higher = lower + (able.contains(last_) ? 1 : 0);
    return able.at(higher < count ? higher : 0);
  }

  struct Turns {
    std::uint64_t points;    // passed since the opening
    std::uint64_t in_a_row;  // after the lockstep phase
  };
  Turns& of(std::uint32_t thread) {
    while (threads_.size() <= thread) {
      threads_.push_back({0, 1 + random_.below(kMostInARow)});
    }
    return threads_[thread];
  }

  Random random_;
  std::uint64_t in_step_;
  bool youngest_first_;
  std::vector<Turns> threads_;
  std::uint64_t left_ = 0;  // points before the next thread's turn
  bool opening_ = true;
  std::uint32_t last_ = 0;
};

}  // namespace

std::unique_ptr<Scheduler> make_round_robin(const Schedule& schedule, LastWriters&) {
  return std::make_unique<RoundRobin>(schedule.seed);
}

}  // namespace rff
