// The interface of a search strategy: it proposes schedules and observes what their runs showed.
//
// To add one: derive from Strategy, add it to a portfolio and give it a share (make_portfolio.cc).
// portfolio_test.cc has an example.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

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

  // Counts of proposals that only some strategies make.
  struct Counts {
    std::uint64_t profiles = 0;  // runs only for estimates, which cost a schedule as others do
    std::uint64_t blocked = 0;   // runs in which a thread whose turn it was could not go on
    bool operator==(const Counts&) const = default;
  };
  virtual Counts counts() const { return {}; }

  // For a strategy that explores everything there is; null for all others.
  virtual const ExplorationState* exploration() const { return nullptr; }

  // Returns up to `most` schedules that propose() is likely to return later. Their runs may be
  // reported to observe() at any time.
  virtual std::vector<Schedule> foresee(std::size_t /*most*/) { return {}; }

  // Returns all that is needed to go on in another process; empty if that is not possible.
  virtual std::string save() const { return {}; }
  // Requires a strategy that was made in the same way and has proposed nothing yet. Returns what is
  // wrong with the bytes; empty if nothing is. After an error the strategy must not be used.
  virtual std::string restore(std::string_view /*bytes*/) { return "it cannot be continued"; }

  // Releases recorded orders that are held for later proposals. Called when memory is short.
  virtual void release_orders() {}
};

}  // namespace rff
