#include "fuzzer/core/strategies/portfolio.h"

#include <algorithm>
#include <cassert>

namespace rff {

Schedule Portfolio::propose(Random& random) {
  std::optional<Schedule> schedule = opening_.propose(random);
  if (schedule) {
    proposer_ = nullptr;
    proposed_seed_ = schedule->seed;
    proposed_by_ = 0;
    ++tallies_[0].proposals;
    return std::move(*schedule);
  }
  ++proposals_;
  schedule = ask_in_turn(random);
  assert(schedule && "the fallback always has a proposal");
  return std::move(*schedule);
}

std::optional<Schedule> Portfolio::ask_in_turn(Random& random) {
  auto phase = static_cast<std::size_t>(std::count_if(
      phase_ends_.begin(), phase_ends_.end(), [&](std::uint64_t end) { return proposals_ > end; }));
  for (const First& first : first_) {
    if (first.share[phase].drawn(random)) {
      if (std::optional<Schedule> schedule = ask(*first.strategy, random)) {
        return schedule;
      }
    }
  }
  if (Strategy* drawn = draw(random, phase)) {
    if (std::optional<Schedule> schedule = ask(*drawn, random)) {
      return schedule;
    }
  }
  return ask(*fallback_, random);
}

Strategy* Portfolio::draw(Random& random, std::size_t phase) const {
  std::uint64_t total = 0;
  for (const Rest& rest : rest_) {
    total += rest.weight[phase];
  }
  if (total == 0) {
    return nullptr;
  }
  std::uint64_t drawn = random.below(total);
  for (const Rest& rest : rest_) {
    if (drawn < rest.weight[phase]) {
      return rest.strategy;
    }
    drawn -= rest.weight[phase];
  }
  return nullptr;
}

std::optional<Schedule> Portfolio::ask(Strategy& strategy, Random& random) {
  std::optional<Schedule> schedule = strategy.propose(random);
  if (schedule) {
    proposer_ = &strategy;
    proposed_seed_ = schedule->seed;
    proposed_by_ = tally(strategy);
    ++tallies_[proposed_by_].proposals;
  }
  return schedule;
}

std::size_t Portfolio::tally(const Strategy& strategy) {
  auto it = std::find_if(tallies_.begin(), tallies_.end(),
                         [&](const Tally& t) { return t.strategy == strategy.name(); });
  if (it == tallies_.end()) {
    it = tallies_.insert(it, {.strategy = strategy.name()});
  }
  return static_cast<std::size_t>(it - tallies_.begin());
}

void Portfolio::observe(const Schedule& schedule, Lesson lesson) {
  bool latest = schedule.seed == proposed_seed_;
  lesson.proposer = latest ? proposer_ : nullptr;
  if (latest) {
    Tally& tally = tallies_[proposed_by_];
    tally.new_pairs += lesson.new_pairs > 0 ? 1 : 0;
    tally.new_paths += lesson.new_path ? 1 : 0;
    tally.failures += lesson.run.failed() ? 1 : 0;
  }
  for (const std::unique_ptr<Strategy>& strategy : strategies_) {
    strategy->observe(schedule, lesson);
  }
  if (latest && proposer_ != nullptr) {
    tallies_[proposed_by_].counts = proposer_->counts();
  }
}

void Portfolio::lost(const Schedule& schedule, RunOutcome outcome) {
  for (const std::unique_ptr<Strategy>& strategy : strategies_) {
    strategy->lost(schedule, outcome);
  }
}

void Portfolio::release_orders() {
  for (const std::unique_ptr<Strategy>& strategy : strategies_) {
    strategy->release_orders();
  }
}

}  // namespace rff
