// Round robin: the first thread goes on until it has to wait; from then on every point is another
// thread's, the youngest first. The opening of a search: all threads are alive at the same time and
// nobody gets through two accesses in one go.
//
// Threads that stay in step do not show what needs one of them to be far ahead. So after a while,
// or with an odd seed at once (and then the eldest may be first), each gets its own number of
// points in a row; and after a barrier they go on one after the other for a while, since in step
// nobody would miss the next barrier.
#include <algorithm>
#include <vector>

#include "libsched/schedulers/scheduler.h"

namespace rff {
namespace {

constexpr std::uint64_t kInStep = 24;  // points of each thread, with an even seed
constexpr std::uint64_t kMostInARow = 3;
constexpr std::uint64_t kAfterBarrier = 32;

class RoundRobin : public Scheduler {
 public:
  explicit RoundRobin(std::uint64_t seed)
      : random_(seed),
        in_step_(seed % 2 == 0 ? kInStep : 0),
        youngest_first_(in_step_ > 0 || random_.chance(1, 2)) {}

  Thread* pick(std::span<Thread* const> enabled) override {
    if (opening_ && enabled[0]->index == 0) {
      return enabled[0];
    }
    opening_ = false;
    if (Thread* t = left_ > 0 ? same_again(enabled) : nullptr) {
      --left_;
      return t;
    }
    Thread* t = next(enabled);
    Turns& turns = of(t->index);
    if (turns.points >= in_step_) {
      bool starts = t->pending->op == OpKind::kThreadStart;  // that is no access
      left_ = turns.in_a_row - (starts ? 0 : 1);
    }
    return t;
  }

  void executed(Thread& t, const Operation& op, std::span<Thread* const>) override {
    opening_ &= t.index == 0;
    of(t.index).points += opening_ ? 0 : 1;
    last_ = t.index;
    if (op.op == OpKind::kBarrier) {
      left_ = kAfterBarrier;
    }
  }

 private:
  Thread* same_again(std::span<Thread* const> enabled) const {
    for (Thread* t : enabled) {
      if (t->index == last_) {
        return t;
      }
    }
    return nullptr;
  }

  Thread* next(std::span<Thread* const> enabled) const {
    if (!youngest_first_) {
      auto after = std::find_if(enabled.begin(), enabled.end(),
                                [&](const Thread* t) { return t->index > last_; });
      return after != enabled.end() ? *after : enabled[0];
    }
    for (std::size_t i = enabled.size(); i-- > 0;) {
      if (enabled[i]->index < last_) {
        return enabled[i];
      }
    }
    return enabled.back();
  }

  struct Turns {
    std::uint64_t points;    // passed since the opening
    std::uint64_t in_a_row;  // once out of step
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
  std::uint64_t left_ = 0;  // before the next thread's turn comes
  bool opening_ = true;
  std::uint32_t last_ = 0;
};

}  // namespace

std::unique_ptr<Scheduler> make_round_robin(std::uint64_t seed) {
  return std::make_unique<RoundRobin>(seed);
}

}  // namespace rff
