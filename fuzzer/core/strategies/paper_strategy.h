// The published loop: the power schedule chooses a member of the corpus and the number of its
// mutants. Always has a proposal.
#pragma once

#include "fuzzer/core/corpus.h"
#include "fuzzer/core/mutators.h"
#include "fuzzer/core/power_schedule.h"
#include "fuzzer/core/strategies/strategy.h"

namespace rff {

class PaperStrategy : public Strategy {
 public:
  // Both must outlive the strategy. Members never leave the corpus.
  PaperStrategy(EventPool& pool, Corpus& corpus) : pool_(pool), corpus_(corpus) {}

  std::string_view name() const override { return "mutants"; }
  std::optional<Schedule> propose(Random& random) override;

 private:
  EventPool& pool_;
  Corpus& corpus_;
  PowerSchedule power_;
  PowerSchedule::Choice stage_{0, 0};  // the current member and its remaining mutants
};

}  // namespace rff
