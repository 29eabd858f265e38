// Whether the program is getting anywhere: how long nothing has changed, and what that means.
#pragma once

#include <algorithm>
#include <cstdint>

#include "libsched/engine/operation.h"

namespace rff {

class Progress {
 public:
  // `limit`: decisions without any progress after which the program may count as hanging; 0: the
  // default.
  void start(std::uint64_t limit) { limit_ = limit > 0 ? limit : kHangDecisions; }

  // The number of decisions so far.
  std::uint64_t decisions() const { return decisions_; }
  void decision() { ++decisions_; }
  // The current thread has gone through a long stretch in which nothing happened: it counts for
  // more than one decision.
  void idle(std::uint64_t decisions) { decisions_ += decisions; }

  // Something changed: the program is not hanging.
  void made() {
    quiet_from_ = decisions_;
    waits_ = 0;
    clock_reads_ = 0;
    passed_lock_ = false;
  }
  // Time has ended a wait. That alone is no progress, but programs may wait for long in small
  // steps.
  void time_passed() {
    ++waits_;
    quiet_from_ = decisions_;
  }
  // A lock was taken or released, which changes nothing by itself.
  void passed_lock() { passed_lock_ = true; }

  // Virtual nanoseconds that a look at a clock takes. Threads that have done nothing else for long
  // wait for time to pass, and it may be a day that they wait for: then it passes ever faster.
  std::uint64_t clock_step() {
    constexpr std::uint64_t kStep = 1000, kPatience = 4000, kDoubling = 64, kMostDoublings = 32;
    std::uint64_t patience = std::min(kPatience, limit_ / 4);
    ++clock_reads_;
    std::uint64_t impatient = clock_reads_ > patience ? clock_reads_ - patience : 0;
    return kStep << std::min(impatient / kDoubling, kMostDoublings);
  }

  // Nothing has happened for so long that the threads may be in each other's way.
  bool stuck() const {
    return decisions_ - quiet_from_ > std::min(kStuckDecisions, limit_ / 2) ||
           waits_ > std::min(kStuckWaits, limit_ / 2);
  }
  // Nothing has happened for so long that it is worth asking whether the program hangs.
  bool may_hang() const {
    return past_end() || decisions_ - quiet_from_ > limit_ || waits_ > limit_;
  }
  // `all_repeat`: all that the threads do is read the same again.
  bool hangs(bool all_repeat) const {
    bool repeats = all_repeat && !passed_lock_;
    return decisions_ - quiet_from_ > (repeats ? limit_ : limit_ * kWorkFactor) ||
           waits_ > limit_ * kWaitFactor;
  }

  // A run that has left its recorded decisions ends after that many more.
  void end_after(std::uint64_t decisions) { last_decision_ = decisions_ + decisions; }
  bool past_end() const { return decisions_ > last_decision_; }

 private:
  // A retry loop that gives up after fewer rounds than this is not a hang.
  static constexpr std::uint64_t kHangDecisions = 100'000;
  // How many times as long the program may read on through memory or take locks: that may be work
  // of which only the result will be seen.
  static constexpr std::uint64_t kWorkFactor = 20;
  // The same for waits that ended because time passed and nothing else happened.
  static constexpr std::uint64_t kWaitFactor = 10;
  // Decisions without progress, or waits that only time ended, after which threads that may be in
  // step with each other are brought out of it.
  static constexpr std::uint64_t kStuckDecisions = 10'000;
  static constexpr std::uint64_t kStuckWaits = 1'000;

  std::uint64_t limit_ = kHangDecisions;
  std::uint64_t decisions_ = 0;
  std::uint64_t quiet_from_ = 0;   // the decision since which nothing has happened
  std::uint64_t waits_ = 0;        // that time has ended since something happened
  std::uint64_t clock_reads_ = 0;  // since something happened
  bool passed_lock_ = false;       // since something happened
  std::uint64_t last_decision_ = kNever;
};

}  // namespace rff
