// Interactive: wraps another scheduler and asks a driver at every scheduling point, even if only
// one thread can go on. The driver names the thread, or leaves the choice to the other scheduler.
#include "libsched/engine/driver.h"
#include "libsched/engine/schedulers/scheduler.h"

namespace rff {
namespace {

class Interactive : public Scheduler {
 public:
  Interactive(Driver& driver, const Progress& progress, std::unique_ptr<Scheduler> then)
      : driver_(driver), progress_(progress), then_(std::move(then)) {}

  bool sees_every_point() const override { return true; }
  CrowdListener* crowds() override { return then_->crowds(); }
  ConstraintCounts constraint_counts() const override { return then_->constraint_counts(); }
  std::span<const ConsideredAction> considered() override { return then_->considered(); }

  Thread* pick(const PendingThreads& threads) override {
    // As in Execution, so that a recorded run has the same decisions.
    const ThreadSet& able =
        progress_.stuck() || !threads.any_eager() ? threads.enabled() : threads.eager();
    std::uint32_t chosen = driver_.choose({points_++, threads, able, last_});
    if (able.contains(chosen)) {
      return &threads[chosen];
    }
    return able.several() ? then_->pick(threads) : &threads[able.first()];
  }

  void stopped(const Thread& t, const StopContext& where) override { driver_.stopped(t, where); }

  void executed(Thread& t, const Operation& op, const PendingThreads& others) override {
    last_ = t.index;
    then_->executed(t, op, others);
  }

 private:
  Driver& driver_;
  const Progress& progress_;
  std::unique_ptr<Scheduler> then_;
  std::uint64_t points_ = 0;
  std::uint32_t last_ = kNoThread;
};

}  // namespace

std::unique_ptr<Scheduler> make_interactive(Driver& driver, const Progress& progress,
                                            std::unique_ptr<Scheduler> then) {
  return std::make_unique<Interactive>(driver, progress, std::move(then));
}

}  // namespace rff
