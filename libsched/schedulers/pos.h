// Partial order sampling: every pending event has a random score, the highest runs, and then the
// scores of that event and of those racing with it are drawn anew.
#pragma once

#include "libsched/schedulers/scheduler.h"

namespace rff {

class PartialOrderSampling : public Scheduler {
 public:
  explicit PartialOrderSampling(std::uint64_t seed) : random_(seed) {}

  void pending(Thread& t) override { t.score = draw(); }

  Thread* pick(std::span<Thread* const> enabled) override {
    Thread* best = enabled[0];
    for (Thread* t : enabled) {
      if (t->score > best->score) {
        best = t;
      }
    }
    return best;
  }

  void executed(Thread& t, const Operation& op, std::span<Thread* const> threads) override {
    for (Thread* other : threads) {
      if (other != &t && other->pending->races_with(op)) {
        other->score = draw();
      }
    }
  }

 private:
  std::uint64_t draw() { return random_.next(); }
  Random random_;
};

}  // namespace rff
