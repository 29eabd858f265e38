// Steady: no preemption. A thread runs as long as it can; then the oldest enabled one runs.
#include "libsched/engine/schedulers/scheduler.h"

namespace rff {
namespace {

class Steady : public Scheduler {
 public:
  Thread* pick(const PendingThreads& threads) override {
    const ThreadSet& able = threads.eager();
    return &threads[able.contains(last_) ? last_ : able.first()];
  }

  void executed(Thread& t, const Operation&, const PendingThreads&) override { last_ = t.index; }

 private:
  std::uint32_t last_ = 0;
};

}  // namespace

std::unique_ptr<Scheduler> make_steady(const Schedule&, LastWriters&) {
  return std::make_unique<Steady>();
}

}  // namespace rff
