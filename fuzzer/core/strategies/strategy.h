// The interface of a search strategy: it proposes schedules and observes what their runs showed.
//
// To add one: derive from Strategy, add it to a portfolio and give it a share (make_portfolio.cc).
// portfolio_test.cc has an example.
#pragma once

#include <optional>
#include <string_view>

#include "fuzzer/common/exploration_state.h"
#include "fuzzer/core/knowledge.h"
#include "schedule/schedule_file.h"

namespace rff {

class Strategy {
 public:
  virtual ~Strategy() = default;

  // One or two words, for --explain-search.
  virtual std::string_view name() const = 0;

  // Returns the next schedule: its prefix, constraints and scheduler, and a seed drawn from
  // `random`. The core sets everything else. Returns nothing if the strategy has no proposal now;
  // it may have one later. Every choice must come from `random`, so that a campaign repeats from
  // its seed.
  virtual std::optional<Schedule> propose(Random& random) = 0;

  // Called for every usable run in the order of the runs, whichever strategy proposed its schedule.
  // The lesson is valid only during the call.
  virtual void observe(const Schedule& /*schedule*/, const Lesson& /*lesson*/) {}

  // Called for a run that is not usable.
  virtual void lost(const Schedule& /*schedule*/, RunOutcome /*outcome*/) {}

  // For a strategy that explores everything there is; null for all others.
  virtual const ExplorationState* exploration() const { return nullptr; }

  // Releases recorded orders that are held for later proposals. Called when memory is short.
  virtual void release_orders() {}
};

}  // namespace rff
