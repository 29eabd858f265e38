// Uniform random walk: the next thread is drawn in proportion to the events it has left, so that all
// interleavings are equally likely if the estimates are right. A thread that is not created yet
// counts for the one that will create it.
// Zhao et al.: Selectively Uniform Concurrency Testing, ASPLOS 2025.
#include "libsched/engine/schedulers/remaining_work.h"
#include "libsched/engine/schedulers/scheduler.h"

namespace rff {
namespace {

class UniformWalk : public Scheduler, private CrowdListener {
 public:
  explicit UniformWalk(const Schedule& schedule)
      : random_(schedule.seed), work_(schedule.estimates, 1) {}

  CrowdListener* crowds() override { return this; }

  void pending(Thread& t) override {
    if (t.index >= begun_) {
      begun_ = t.index + 1;
      work_.begin(t);
    }
  }

  Thread* pick(const PendingThreads& threads) override {
    return &threads[work_.draw_among(threads.eager(), random_)];
  }

  void executed(Thread& t, const Operation& op, const PendingThreads&) override {
    op.op == OpKind::kThreadEnd ? work_.ended(t) : work_.done(t);
  }

 private:
  Random random_;
  RemainingWork work_;
  std::uint32_t begun_ = 0;  // threads, in order of creation
};

}  // namespace

std::unique_ptr<Scheduler> make_uniform_walk(const Schedule& schedule, LastWriters&) {
  return std::make_unique<UniformWalk>(schedule);
}

}  // namespace rff
