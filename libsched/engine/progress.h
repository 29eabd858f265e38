// Whether the program is getting anywhere: how long nothing has changed, and what that means.
#pragma once

#include <algorithm>
#include <cstdint>

#include "libsched/engine/operation.h"

namespace rff {

class Progress {
 public:
  // `limit`: decisions without any progress after which the program is suspected of hanging, if
  // fewer than the default; 0: the default.
  void start(std::uint64_t limit) { limit_ = limit > 0 ? limit : kMostDecisions; }

  // The number of decisions so far.
  std::uint64_t decisions() const { return decisions_; }
  void decision() { ++decisions_; }
  // The current thread has gone through a long stretch in which nothing happened: it counts for
  // more than one decision.
  void idle(std::uint64_t decisions) {
    decisions_ += decisions;
    ++idle_stretches_;
  }

  // Something changed that others can see: the program is not hanging.
  void made() {
    ++changes_;
    quiet_from_ = decisions_;
    waits_ = 0;
    stretches_ = idle_stretches_ = 0;
    clock_reads_ = 0;
  }
  std::uint64_t changes() const { return changes_; }
  // The current thread has gone through a long stretch in which it changed memory of its own, or
  // read on: that may be work, or a loop for ever.
  void worked() {
    quiet_from_ = decisions_;
    waits_ = 0;
    clock_reads_ = 0;
    ++stretches_;
  }
  // Time has ended a wait. That alone is no progress, but programs may wait for long in small
  // steps.
  void time_passed() {
    ++waits_;
    quiet_from_ = decisions_;
  }
  // The program was given something that is no part of its own state: the time, a random number,
  // an answer of the kernel.
  void looked_outside() { ++looks_outside_; }
  std::uint64_t looks_outside() const { return looks_outside_; }

  // Virtual nanoseconds that a look at a clock takes. Threads that have done nothing else for long
  // wait for time to pass, and it may be a day that they wait for: then it passes ever faster.
  std::uint64_t clock_step() {
    constexpr std::uint64_t kStep = 1000, kPatience = 4000, kDoubling = 64, kMostDoublings = 32;
    std::uint64_t patience = std::min(kPatience, limit_ / 4);
    ++clock_reads_;
    looked_outside();
    std::uint64_t impatient = clock_reads_ > patience ? clock_reads_ - patience : 0;
    return kStep << std::min(impatient / kDoubling, kMostDoublings);
  }

  // Nothing has happened for so long that the threads may be in each other's way.
  bool stuck() const {
    return decisions_ - quiet_from_ > std::min(kStuckDecisions, limit_ / 2) ||
           waits_ > std::min(kStuckWaits, limit_ / 2);
  }
  // Nothing has happened for so long that it is worth finding out whether the program hangs (see
  // hang_proof.h). After a proof that failed it takes longer each time.
  bool suspicious() const {
    auto patience = [&](std::uint64_t most) {
      return std::min(most, limit_) << std::min(2 * failed_proofs_, kMostPatience);
    };
    return decisions_ >= next_proof_ &&
           (decisions_ - quiet_from_ > patience(kSuspiciousDecisions) ||
            waits_ > patience(kSuspiciousWaits) || stretches_ > patience(kSuspiciousStretches) ||
            idle_stretches_ > patience(kSuspiciousIdleStretches));
  }
  // A proof took so many decisions and has failed.
  void proof_failed(std::uint64_t took) {
    ++failed_proofs_;
    next_proof_ = decisions_ + took * kRest;
  }

  // A run that has left its recorded decisions ends after that many more.
  void end_after(std::uint64_t decisions) { last_decision_ = decisions_ + decisions; }
  bool past_end() const { return decisions_ > last_decision_; }

 private:
  static constexpr std::uint64_t kMostDecisions = 100'000;
  // Decisions without progress, or waits that only time ended, after which threads that may be in
  // step with each other are brought out of it.
  static constexpr std::uint64_t kStuckDecisions = 10'000;
  static constexpr std::uint64_t kStuckWaits = 1'000;
  // The same after which a proof is tried; the last are of long stretches of private work, and of
  // those in which nothing was changed.
  static constexpr std::uint64_t kSuspiciousDecisions = 12'000;
  static constexpr std::uint64_t kSuspiciousWaits = 2'000;
  static constexpr std::uint64_t kSuspiciousStretches = 200;
  static constexpr std::uint64_t kSuspiciousIdleStretches = 10;
  static constexpr std::uint64_t kMostPatience = 8;  // doublings
  static constexpr std::uint64_t kRest = 16;  // times what a failed proof took, until the next one

  std::uint64_t limit_ = kMostDecisions;
  std::uint64_t decisions_ = 0;
  std::uint64_t changes_ = 0;
  std::uint64_t looks_outside_ = 0;
  std::uint64_t quiet_from_ = 0;  // the decision since which nothing has happened
  std::uint64_t waits_ = 0;       // that time has ended since something happened
  std::uint64_t stretches_ = 0;   // of private work since something happened
  std::uint64_t idle_stretches_ = 0;
  std::uint64_t clock_reads_ = 0;  // since something happened
  std::uint64_t failed_proofs_ = 0;
  std::uint64_t next_proof_ = 0;  // the decision before which no other is tried
  std::uint64_t last_decision_ = kNever;
};

}  // namespace rff
