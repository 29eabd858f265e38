// Proposes the first schedules of a search, in a fixed order.
//
// The default search begins with a round robin run that stops at every access: all threads are
// alive at the same time, in step. The paper begins with the empty schedule.
#pragma once

#include <deque>

#include "fuzzer/core/strategies/strategy.h"

namespace rff {

enum class OpeningRun { kRoundRobinInStep, kEmptySchedule };

class OpeningStrategy : public Strategy {
 public:
  explicit OpeningStrategy(std::deque<OpeningRun> runs) : runs_(std::move(runs)) {}

  std::string_view name() const override { return "opening"; }
  // Returns nothing after the last run of the opening.
  std::optional<Schedule> propose(Random& random) override;

  // Omits the first run, because schedules of the user replace it. Has an effect only once and only
  // before the first proposal.
  void replace_first_run();

 private:
  std::deque<OpeningRun> runs_;
  bool begun_ = false;
};

}  // namespace rff
