// Measures whether the program makes progress: how long nothing has changed, and what follows.
#pragma once

#include <algorithm>
#include <cstdint>

#include "libsched/engine/operation.h"

namespace rff {

class Progress {
 public:
  // `limit`: decisions without progress after which the program is suspected of hanging, if below
  // the default; 0: the default.
  void start(std::uint64_t limit) { limit_ = limit > 0 ? limit : kMostDecisions; }

  std::uint64_t decisions() const { return decisions_; }
  void decision() { ++decisions_; }
  // Call when the current thread has gone through a long stretch in which nothing happened: it
  // counts for more than one decision.
  void idle(std::uint64_t decisions) {
    decisions_ += decisions;
    ++idle_stretches_;
  }

  // Call when something changed that other threads can see: the program is not hanging.
  void made() {
    ++changes_;
    quiet_from_ = decisions_;
    waits_ = 0;
    stretches_ = idle_stretches_ = 0;
    clock_reads_ = 0;
  }
  std::uint64_t changes() const { return changes_; }
  // Call when the current thread has gone through a long stretch in which it changed only private
  // memory, or kept reading: that may be work or an endless loop.
  void worked() {
    quiet_from_ = decisions_;
    waits_ = 0;
    clock_reads_ = 0;
    ++stretches_;
  }
  // Call when time has ended a wait. That alone is no progress, but programs may wait for long in
  // small steps.
  void time_passed() {
    ++waits_;
    quiet_from_ = decisions_;
  }
  // Call when the program received something that is not part of its own state: the time, a random
  // number, an answer of the kernel.
  void looked_outside() { ++looks_outside_; }
  std::uint64_t looks_outside() const { return looks_outside_; }

  // Virtual nanoseconds that reading a clock takes. Threads that do nothing else are waiting for
  // time to pass, perhaps a day of it, so it passes ever faster.
  std::uint64_t clock_step() {
    constexpr std::uint64_t kStep = 1000, kPatience = 4000, kDoubling = 64, kMostDoublings = 32;
    std::uint64_t patience = std::min(kPatience, limit_ / 4);
    ++clock_reads_;
    looked_outside();
    std::uint64_t impatient = clock_reads_ > patience ? clock_reads_ - patience : 0;
    return kStep << std::min(impatient / kDoubling, kMostDoublings);
  }

  // Nothing has happened for so long that the threads may be blocking each other.
  bool stuck() const {
    return decisions_ - quiet_from_ > std::min(kStuckDecisions, limit_ / 2) ||
           waits_ > std::min(kStuckWaits, limit_ / 2);
  }
  // Nothing has happened for so long that a hang proof is worth trying (see hang_proof.h). After a
  // failed proof it takes longer each time.
  bool suspicious() const {
    auto patience = [&](std::uint64_t most) {
      return std::min(most, limit_) << std::min(2 * failed_proofs_, kMostPatience);
    };
    return decisions_ >= next_proof_ &&
           (decisions_ - quiet_from_ > patience(kSuspiciousDecisions) ||
            waits_ > patience(kSuspiciousWaits) || stretches_ > patience(kSuspiciousStretches) ||
            idle_stretches_ > patience(kSuspiciousIdleStretches));
  }
  // Call when a proof has failed after `took` decisions.
  void proof_failed(std::uint64_t took) {
    ++failed_proofs_;
    next_proof_ = decisions_ + took * kRest;
  }

  // Ends a run that has diverged from its recording after that many more decisions.
  void end_after(std::uint64_t decisions) { last_decision_ = decisions_ + decisions; }
  bool past_end() const { return decisions_ > last_decision_; }

 private:
  static constexpr std::uint64_t kMostDecisions = 100'000;
  // Decisions without progress, or waits that only time ended, after which threads that may be in
  // lockstep are taken out of it.
  static constexpr std::uint64_t kStuckDecisions = 10'000;
  static constexpr std::uint64_t kStuckWaits = 1'000;
  // The same before a proof is tried. The last two count long stretches of private work, and
  // stretches in which nothing was changed.
  static constexpr std::uint64_t kSuspiciousDecisions = 12'000;
  static constexpr std::uint64_t kSuspiciousWaits = 2'000;
  static constexpr std::uint64_t kSuspiciousStretches = 200;
  static constexpr std::uint64_t kSuspiciousIdleStretches = 10;
  static constexpr std::uint64_t kMostPatience = 8;  // doublings
  static constexpr std::uint64_t kRest =
      16;  // multiple of what a failed proof took, until the next one

  std::uint64_t limit_ = kMostDecisions;
  std::uint64_t decisions_ = 0;
  std::uint64_t changes_ = 0;
  std::uint64_t looks_outside_ = 0;
  std::uint64_t quiet_from_ = 0;  // the decision since which nothing has happened
  std::uint64_t waits_ = 0;       // waits that time has ended since something happened
  std::uint64_t stretches_ = 0;   // stretches of private work since something happened
  std::uint64_t idle_stretches_ = 0;
  std::uint64_t clock_reads_ = 0;  // since something happened
  std::uint64_t failed_proofs_ = 0;
  std::uint64_t next_proof_ = 0;  // no proof is tried before this decision
  std::uint64_t last_decision_ = kNever;
};

}  // namespace rff
