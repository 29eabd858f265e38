// Proposes runs with few preemptions for programs in which a signal finds several threads waiting.
//
// Such a signal wakes one of them, maybe the wrong one. Threads wait at the same time where nothing
// interrupts the others before they have to wait as well: one order of many among all orders, but
// the usual one where threads run as far as they can. So a few runs by delay bounding are tried
// for each condition.
#pragma once

#include <cstdint>
#include <unordered_map>

#include "fuzzer/core/strategies/strategy.h"

namespace rff {

class WaitersStrategy : public Strategy {
 public:
  explicit WaitersStrategy(const Bounds& bounds) : bounds_(bounds) {}

  std::string_view name() const override { return "waiters"; }
  std::optional<Schedule> propose(Random& random) override;
  void observe(const Schedule& schedule, const Lesson& lesson) override;

 private:
  static constexpr unsigned kRunsPerCondition = 3;
  static constexpr unsigned kMaxConditions = 8;

  struct Condition {
    std::uint64_t waiter = 0;  // the first thread that waited, plus one
    bool several = false;      // another one waited, too
    bool signalled = false;    // and wakes one, not all
    bool asked = false;
  };

  Bounds bounds_;
  std::unordered_map<std::uint64_t, Condition> conditions_;  // by location
  unsigned asked_ = 0;                                       // conditions
  unsigned left_ = 0;                                        // runs to propose
};

}  // namespace rff
