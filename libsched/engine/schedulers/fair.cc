// Fair: wraps another scheduler and guarantees what any program may rely on. When there is no
// progress, each thread runs for a while, at random: threads in lockstep (two that take two locks
// in opposite order, release them and retry) get past each other; real livelocks do not. Spinning
// threads take turns. A thread that could have run for very long runs.
#include <algorithm>

#include "libsched/engine/schedulers/scheduler.h"

namespace rff {
namespace {

constexpr std::uint64_t kLongestStretch = 64;
constexpr std::uint64_t kStarvation = 10'000;    // decisions
constexpr std::uint64_t kStarvationCheck = 512;  // decisions between two checks
constexpr std::uint64_t kOwnRandom = 0x6f776e;

class Fair : public Scheduler {
 public:
  Fair(std::unique_ptr<Scheduler> then, const Progress& progress, std::uint64_t seed)
      : then_(std::move(then)), progress_(progress), random_(hash_combine(seed, kOwnRandom)) {}

  CrowdListener* crowds() override { return then_->crowds(); }
  ConstraintCounts constraint_counts() const override { return then_->constraint_counts(); }
  std::span<const ConsideredAction> considered() override { return then_->considered(); }

  Thread* pick(const PendingThreads& threads) override {
    if (progress_.stuck()) {
      return unstick(threads);
    }
    if (!threads.any_eager()) {
      return least_patient(threads);
    }
    Thread* starves = starving(threads);
    return starves != nullptr ? starves : then_->pick(threads);
  }

  void executed(Thread& t, const Operation& op, const PendingThreads& others) override {
    last_ = t.index;
    then_->executed(t, op, others);
  }

 private:
  Thread* unstick(const PendingThreads& threads) {
    const ThreadSet& enabled = threads.enabled();
    if (stretch_ > 0 && enabled.contains(last_)) {
      --stretch_;
      return &threads[last_];
    }
    stretch_ = random_.below(kLongestStretch);
    return &threads[enabled.at(random_.below(enabled.size()))];
  }

  // Returns one of the threads with the fewest passes, so that none spins forever on what another
  // spinning thread is about to do.
  Thread* least_patient(const PendingThreads& threads) {
    std::uint64_t fewest = kNever;
    std::uint64_t several = 0;
    threads.enabled().for_each([&](std::uint32_t index) {
      std::uint64_t passes = threads[index].spin.passes;
      several = passes < fewest ? 1 : several + (passes == fewest ? 1 : 0);
      fewest = std::min(fewest, passes);
    });
    Thread* chosen = nullptr;
    std::uint64_t skip = several > 1 ? random_.below(several) : 0;
    threads.enabled().for_each([&](std::uint32_t index) {
      Thread& t = threads[index];
      if (t.spin.passes == fewest && skip-- == 0) {
        chosen = &t;
      }
    });
    return chosen;
  }

  // Returns a thread that the scheduler has passed over for too long, or null.
  Thread* starving(const PendingThreads& threads) const {
    Thread* starves = nullptr;
    std::uint64_t decision = progress_.decisions();
    if (decision % kStarvationCheck == 0) {
      threads.eager().for_each([&](std::uint32_t index) {
        Thread& t = threads[index];
        if (starves == nullptr && decision - PendingThreads::ready_since(t) > kStarvation) {
          starves = &t;
        }
      });
    }
    return starves;
  }

  std::unique_ptr<Scheduler> then_;
  const Progress& progress_;
  Random random_;
  std::uint64_t stretch_ = 0;  // how long the last thread keeps running while stuck
  std::uint32_t last_ = 0;     // the thread that ran last
};

}  // namespace

std::unique_ptr<Scheduler> make_fair(std::unique_ptr<Scheduler> then, const Progress& progress,
                                     std::uint64_t seed) {
  return std::make_unique<Fair>(std::move(then), progress, seed);
}

}  // namespace rff
