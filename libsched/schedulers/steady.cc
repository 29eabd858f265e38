// Steady: no preemption. A thread runs as long as it can, then the one that was created first.
#include "libsched/schedulers/scheduler.h"

namespace rff {
namespace {

class Steady : public Scheduler {
 public:
  Thread* pick(std::span<Thread* const> enabled) override {
    for (Thread* t : enabled) {
      if (t->index == last_) {
        return t;
      }
    }
    return enabled[0];
  }

  void executed(Thread& t, const Operation&, std::span<Thread* const>) override { last_ = t.index; }

 private:
  std::uint32_t last_ = 0;
};

}  // namespace

std::unique_ptr<Scheduler> make_steady() { return std::make_unique<Steady>(); }

}  // namespace rff
