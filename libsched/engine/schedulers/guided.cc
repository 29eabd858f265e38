// Guided: the threads pass their scheduling points in a given order as far as possible. After its
// end, and where no enabled thread has an entry in it, another scheduler decides.
//
// Each entry names its event, so a guide remains valid when there are more scheduling points than
// when it was recorded: a point that is not in the guide is passed in place of its thread's next
// entry.
#include <limits>
#include <vector>

#include "libsched/engine/schedulers/scheduler.h"

namespace rff {
namespace {

constexpr std::size_t kNoPlace = std::numeric_limits<std::size_t>::max();
constexpr std::size_t kLookAhead = 64;  // entries that may be missing at once
constexpr std::size_t kStrange = 256;   // consecutive points not in the guide before it is dropped

class Guided : public Scheduler {
 public:
  Guided(const std::vector<Decision>& order, std::unique_ptr<Scheduler> then)
      : then_(std::move(then)) {
    for (std::size_t i = 0; i < order.size(); ++i) {
      of(order[i].thread).entries.push_back({i, order[i].check});
      owners_.push_back(order[i].thread);
    }
  }

  CrowdListener* crowds() override { return then_->crowds(); }

  Thread* pick(const PendingThreads& threads) override {
    // While the guide matches, the first place left belongs to a thread that can run.
    while (first_ < owners_.size() && place(owners_[first_]) > first_) {
      ++first_;
    }
    if (first_ < owners_.size() && threads.eager().contains(owners_[first_])) {
      return &threads[owners_[first_]];
    }
    Thread* best = nullptr;
    std::size_t best_place = kNoPlace;
    threads.eager().for_each([&](std::uint32_t index) {
      if (place(index) < best_place) {
        best = &threads[index];
        best_place = place(index);
      }
    });
    return best != nullptr ? best : then_->pick(threads);
  }

  void executed(Thread& t, const Operation& op, const PendingThreads& others) override {
    advance(of(t.index), op);
    then_->executed(t, op, others);
  }

  ConstraintCounts constraint_counts() const override { return then_->constraint_counts(); }
  std::span<const ConsideredAction> considered() override { return then_->considered(); }

 private:
  struct Entry {
    std::size_t place;  // in the order
    EventCheck check;   // identifies the event, as in Decision; none: any
  };
  struct Progress {
    std::vector<Entry> entries;
    std::size_t at = 0;
    std::size_t strange = 0;
  };

  static void advance(Progress& p, const Operation& op) {
    std::size_t end = std::min(p.entries.size(), p.at + kLookAhead);
    for (std::size_t i = p.at; i < end; ++i) {
      if (p.entries[i].check == EventCheck() || p.entries[i].check.matches(op.id)) {
        p.at = i + 1;
        p.strange = 0;
        return;
      }
    }
    if (++p.strange > kStrange) {
      p.at = p.entries.size();
    }
  }

  // Returns the place of the thread's next entry.
  std::size_t place(std::uint32_t thread) {
    const Progress& p = of(thread);
    return p.at < p.entries.size() ? p.entries[p.at].place : kNoPlace;
  }

  Progress& of(std::uint32_t thread) {
    if (thread >= threads_.size()) {
      threads_.resize(thread + 1);
    }
    return threads_[thread];
  }

  std::vector<std::uint32_t> owners_;  // the thread of each place
  std::size_t first_ = 0;              // first place that its thread has not passed
  std::vector<Progress> threads_;
  std::unique_ptr<Scheduler> then_;
};

}  // namespace

std::unique_ptr<Scheduler> make_guided(const std::vector<Decision>& order,
                                       std::unique_ptr<Scheduler> then) {
  return std::make_unique<Guided>(order, std::move(then));
}

}  // namespace rff
