// Random walk: every enabled thread is equally likely at every decision.
#include "libsched/engine/schedulers/scheduler.h"

namespace rff {
namespace {

class RandomWalk : public Scheduler {
 public:
  explicit RandomWalk(std::uint64_t seed) : random_(seed) {}
  Thread* pick(const PendingThreads& threads) override {
    const ThreadSet& able = threads.eager();
    return &threads[able.at(random_.below(able.size()))];
  }

 private:
  Random random_;
};

}  // namespace

std::unique_ptr<Scheduler> make_random_walk(const Schedule& schedule, LastWriters&) {
  return std::make_unique<RandomWalk>(schedule.seed);
}

}  // namespace rff
