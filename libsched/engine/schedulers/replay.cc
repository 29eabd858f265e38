// Replay: follows recorded decisions; after their end another scheduler decides. A decision that
// cannot be followed is reported and ends the replay: the run goes on with the other scheduler, for
// a limited number of decisions.
#include "libsched/engine/schedulers/scheduler.h"

namespace rff {
namespace {

// Decisions before a run that has diverged is ended: at least this many, and this multiple of the
// recorded ones.
constexpr std::uint64_t kAfterDivergence = 20'000;
constexpr std::uint64_t kTimesRecorded = 10;

class Replay : public Scheduler {
 public:
  Replay(const std::vector<Decision>& decisions, Progress& progress, RunListener& listener,
         std::unique_ptr<Scheduler> then)
      : decisions_(&decisions), progress_(progress), listener_(listener), then_(std::move(then)) {}

  CrowdListener* crowds() override { return then_->crowds(); }
  ConstraintCounts constraint_counts() const override { return then_->constraint_counts(); }
  std::span<const ConsideredAction> considered() override { return then_->considered(); }

  Thread* pick(const PendingThreads& threads) override {
    Thread* recorded = follow(threads);
    return recorded != nullptr ? recorded : then_->pick(threads);
  }

  void executed(Thread& t, const Operation& op, const PendingThreads& others) override {
    then_->executed(t, op, others);
  }

 private:
  Thread* follow(const PendingThreads& threads) {
    if (decisions_ == nullptr || at_ >= decisions_->size()) {
      return nullptr;
    }
    const Decision& d = (*decisions_)[at_++];
    const ThreadSet& enabled = threads.enabled();
    Thread* wanted = enabled.contains(d.thread) ? &threads[d.thread] : nullptr;
    if (wanted == nullptr || !d.check.matches(wanted->pending->id)) {
      listener_.diverged(at_ - 1, d, wanted, enabled.size());
      progress_.end_after(kAfterDivergence + kTimesRecorded * decisions_->size());
      decisions_ = nullptr;
    }
    return wanted;
  }

  const std::vector<Decision>* decisions_;  // null after a divergence
  std::size_t at_ = 0;
  Progress& progress_;
  RunListener& listener_;
  std::unique_ptr<Scheduler> then_;
};

}  // namespace

std::unique_ptr<Scheduler> make_replay(const std::vector<Decision>& decisions, Progress& progress,
                                       RunListener& listener, std::unique_ptr<Scheduler> then) {
  return std::make_unique<Replay>(decisions, progress, listener, std::move(then));
}

}  // namespace rff
