// Shares out the proposals of a search among strategies.
//
// A proposal is made in four rounds, and the first strategy that has one makes it:
//   1. the opening, until it is over;
//   2. strategies that are asked first, one after the other, each with a probability of its own;
//   3. one strategy, drawn by weight among those that share the rest;
//   4. the fallback, which always has a proposal.
// Probabilities and weights depend on the phase of the search. All strategies observe all runs.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "fuzzer/core/strategies/opening_strategy.h"
#include "fuzzer/core/strategies/share.h"
#include "fuzzer/core/strategies/strategy.h"

namespace rff {

// The yield of one strategy: its proposals, and how many of their runs showed something new.
struct Tally {
  std::string_view strategy;
  std::uint64_t proposals = 0;
  std::uint64_t new_pairs = 0;  // runs with a reads-from pair that no earlier run had
  std::uint64_t new_paths = 0;  // runs in which a thread took a path that no earlier run had
  std::uint64_t failures = 0;
  Strategy::Counts counts = {};
};

class Portfolio {
 public:
  static constexpr std::size_t kPhases = 4;
  template <typename T>
  using ByPhase = std::array<T, kPhases>;
  // For each phase but the last the number of its last proposal, counted after the opening.
  using PhaseEnds = std::array<std::uint64_t, kPhases - 1>;

  explicit Portfolio(std::deque<OpeningRun> opening, const PhaseEnds& phase_ends = {0, 0, 0})
      : opening_(std::move(opening)), phase_ends_(phase_ends) {
    tally(opening_);
  }

  // Adds a strategy. It observes every run from now on and proposes only if it gets a share by the
  // calls below.
  template <typename T, typename... Arguments>
  T& add(Arguments&&... arguments) {
    auto strategy = std::make_unique<T>(std::forward<Arguments>(arguments)...);
    T& added = *strategy;
    strategies_.push_back(std::move(strategy));
    return added;
  }

  // Each `strategy` below must have been added, or belong to one that was.
  void ask_first(Strategy& strategy, const ByPhase<Share>& share) {
    first_.push_back({&strategy, share});
    tally(strategy);
  }
  void share_rest(Strategy& strategy, const ByPhase<unsigned>& weight) {
    rest_.push_back({&strategy, weight});
    tally(strategy);
  }
  // Required before the first proposal. `strategy` must always have a proposal, but
  // for one that explores everything and has finished.
  void fall_back_on(Strategy& strategy) {
    fallback_ = &strategy;
    tally(strategy);
  }

  OpeningStrategy& opening() { return opening_; }

  Schedule propose(Random& random);
  // Shows a lesson to all strategies in the order in which they were added.
  void observe(const Schedule& schedule, Lesson lesson);
  void lost(const Schedule& schedule, RunOutcome outcome);
  void release_orders();

  // The state of the fallback, if that explores everything there is; null if not.
  const ExplorationState* exploration() const { return fallback_->exploration(); }

  // See Strategy; of the fallback.
  std::vector<Schedule> foresee(std::size_t most) { return fallback_->foresee(most); }
  std::string save() const { return fallback_->save(); }
  std::string restore(std::string_view bytes) { return fallback_->restore(bytes); }

  // Returns the yield of each strategy: the opening first, then in the order in which they
  // got their shares.
  const std::vector<Tally>& tallies() const { return tallies_; }
  // The strategy of the latest proposal.
  std::string_view proposer() const { return tallies_[proposed_by_].strategy; }

 private:
  struct First {
    Strategy* strategy;
    ByPhase<Share> share;
  };
  struct Rest {
    Strategy* strategy;
    ByPhase<unsigned> weight;
  };

  std::optional<Schedule> ask_in_turn(Random& random);
  std::optional<Schedule> ask(Strategy& strategy, Random& random);
  Strategy* draw(Random& random, std::size_t phase) const;
  // Returns the index of the strategy's tally, and makes one if there is none.
  std::size_t tally(const Strategy& strategy);

  OpeningStrategy opening_;
  PhaseEnds phase_ends_;
  std::vector<std::unique_ptr<Strategy>> strategies_;
  std::vector<First> first_;
  std::vector<Rest> rest_;
  Strategy* fallback_ = nullptr;
  std::uint64_t proposals_ = 0;  // after the opening
  const Strategy* proposer_ = nullptr;
  std::uint64_t proposed_seed_ = 0;
  std::vector<Tally> tallies_;
  std::size_t proposed_by_ = 0;  // index in tallies_
};

}  // namespace rff
