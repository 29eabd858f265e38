#include "fuzzer/core/strategies/make_portfolio.h"

#include "fuzzer/core/strategies/archive_strategy.h"
#include "fuzzer/core/strategies/bytes_strategy.h"
#include "fuzzer/core/strategies/flip_strategy.h"
#include "fuzzer/core/strategies/learning_strategy.h"
#include "fuzzer/core/strategies/paper_strategy.h"
#include "fuzzer/core/strategies/period_strategy.h"
#include "fuzzer/core/strategies/random_strategy.h"
#include "fuzzer/core/strategies/systematic_strategy.h"
#include "fuzzer/core/strategies/turns_strategy.h"
#include "fuzzer/core/strategies/waiters_strategy.h"
#include "fuzzer/core/strategies/wanted_value_strategy.h"
#include "fuzzer/core/strategies/weighted_strategy.h"

namespace rff {
namespace {

// The shares of the default search. These are all of its percentages. They were chosen on the
// development programs of `scripts/bench generalise` (180 of them, and 34 subjects), where the
// geometric mean of schedules hardly depends on them: 4.2 to 4.7 for everything tried.
namespace shares {

// Flips dominate the first phase. What they have not found by the end of the second is rarely a
// matter of one order: in the third, half of the runs learn little and wander far. What nobody has
// found after a thousand schedules lies deep: the last phase returns to states that runs reached.
constexpr Portfolio::PhaseEnds kPhaseEnds = {15, 127, 1023};

// For one strategy alone, and for what is asked first always.
constexpr Portfolio::ByPhase<Share> kWhole = {{{1, 1}, {1, 1}, {1, 1}, {1, 1}}};

// Asked first, in this order. Other flips and turns have a share of the rest. There are few loops
// that feed each other, and two proposals for each couple of them. Likewise there are few
// conditions at which several threads wait, and few pairs of values that a critical section may
// see. Values have most of what flips leave as long as they show something: a counter needs one
// value after the other, and random runs hit none of them.
constexpr Portfolio::ByPhase<Share> kFeedingTurns = kWhole;
constexpr Portfolio::ByPhase<Share> kWaiters = {{{9, 10}, {5, 10}, {2, 10}, {2, 10}}};
constexpr Portfolio::ByPhase<Share> kValuesTogether = {{{5, 10}, {8, 10}, {2, 10}, {2, 10}}};
constexpr Portfolio::ByPhase<Share> kPromisingFlips = {{{9, 10}, {5, 10}, {2, 10}, {4, 10}}};
constexpr Portfolio::ByPhase<Share> kUsefulValues = {{{9, 10}, {9, 10}, kNever, kNever}};
constexpr Portfolio::ByPhase<Share> kWantedValues = {{{2, 10}, {5, 10}, {2, 10}, {4, 10}}};

// The rest, in percent.
constexpr Portfolio::ByPhase<unsigned> kArchive = {5, 5, 10, 40};
constexpr Portfolio::ByPhase<unsigned> kAnyFlip = {10, 10, 5, 15};
constexpr Portfolio::ByPhase<unsigned> kPaper = {25, 25, 35, 15};
constexpr Portfolio::ByPhase<unsigned> kRandom = {25, 25, 35, 20};
constexpr Portfolio::ByPhase<unsigned> kSelective = {25, 25, 10, 5};
constexpr Portfolio::ByPhase<unsigned> kAnyTurns = {10, 10, 5, 5};

// Within one strategy.
constexpr Share kUndecidingValues = {1, 2};
constexpr Share kFirstValues = {1, 2};
constexpr Share kDecidingStates = {3, 4};
constexpr RandomStrategy::Mixture kRandomRuns = {.round_robin = {1, 8}, .window = {1, 4}};

constexpr bool rest_is_whole() {
  for (std::size_t i = 0; i < Portfolio::kPhases; ++i) {
    if (kArchive[i] + kAnyFlip[i] + kPaper[i] + kRandom[i] + kSelective[i] + kAnyTurns[i] != 100) {
      return false;
    }
  }
  return true;
}
static_assert(rest_is_whole());

}  // namespace shares

Portfolio default_portfolio(const FuzzPlan& plan, Knowledge& knowledge, Corpus& corpus) {
  const SearchChoice::Part only = plan.search.only;
  const Bounds& bounds = plan.bounds;
  Portfolio portfolio({OpeningRun::kRoundRobinInStep}, shares::kPhaseEnds);
  auto& flips = portfolio.add<FlipStrategy>(knowledge, bounds, plan.checks_memory);
  auto& wanted_values =
      portfolio.add<WantedValueStrategy>(knowledge.focus(), shares::kUndecidingValues, bounds);
  auto& archive = portfolio.add<ArchiveStrategy>(knowledge.focus(), shares::kFirstValues,
                                                 shares::kDecidingStates, bounds);
  auto& paper = portfolio.add<PaperStrategy>(knowledge.pool(), corpus);
  auto& random = portfolio.add<RandomStrategy>(shares::kRandomRuns);
  auto& selective = portfolio.add<WeightedStrategy>(SchedulerKind::kSelective);
  auto& turns = portfolio.add<TurnsStrategy>(bounds);
  auto& waiters = portfolio.add<WaitersStrategy>(bounds);

  if (only != SearchChoice::Part::kAll) {
    Strategy* parts[] = {nullptr, &flips,  &wanted_values,    &archive,
                         &paper,  &random, &turns.any_turns()};
    portfolio.ask_first(*parts[static_cast<unsigned>(only)], shares::kWhole);
    portfolio.fall_back_on(random);
    return portfolio;
  }
  portfolio.ask_first(turns, shares::kFeedingTurns);
  portfolio.ask_first(waiters, shares::kWaiters);
  portfolio.ask_first(wanted_values.values_together(), shares::kValuesTogether);
  portfolio.ask_first(flips, shares::kPromisingFlips);
  portfolio.ask_first(wanted_values.useful_values(), shares::kUsefulValues);
  portfolio.ask_first(wanted_values, shares::kWantedValues);
  portfolio.share_rest(archive, shares::kArchive);
  portfolio.share_rest(flips.any_flip(), shares::kAnyFlip);
  portfolio.share_rest(paper, shares::kPaper);
  portfolio.share_rest(random, shares::kRandom);
  portfolio.share_rest(selective, shares::kSelective);
  portfolio.share_rest(turns.any_turns(), shares::kAnyTurns);
  portfolio.fall_back_on(paper);
  return portfolio;
}

Portfolio paper_portfolio(Knowledge& knowledge, Corpus& corpus) {
  Portfolio portfolio({OpeningRun::kEmptySchedule});
  portfolio.fall_back_on(portfolio.add<PaperStrategy>(knowledge.pool(), corpus));
  return portfolio;
}

// The other schedulers take no constraints; their schedules differ only in the seed.
Portfolio single_scheduler_portfolio(SchedulerKind scheduler) {
  std::deque<OpeningRun> opening;
  if (scheduler == SchedulerKind::kRoundRobin) {
    opening.push_back(OpeningRun::kRoundRobinInStep);
  }
  Portfolio portfolio(std::move(opening));
  portfolio.fall_back_on(
      portfolio.add<RandomStrategy>(RandomStrategy::Mixture{.otherwise = scheduler}));
  return portfolio;
}

Portfolio weighted_portfolio(const FuzzPlan& plan) {
  Portfolio portfolio({});
  portfolio.fall_back_on(portfolio.add<WeightedStrategy>(plan.search.scheduler, plan.selection));
  return portfolio;
}

Portfolio bytes_portfolio() {
  Portfolio portfolio({});
  portfolio.fall_back_on(portfolio.add<BytesStrategy>());
  return portfolio;
}

Portfolio learning_portfolio(SchedulerKind scheduler) {
  Portfolio portfolio({});
  portfolio.fall_back_on(portfolio.add<LearningStrategy>(scheduler));
  return portfolio;
}

Portfolio systematic_portfolio(const FuzzPlan& plan) {
  Portfolio portfolio({});
  portfolio.fall_back_on(
      portfolio.add<SystematicStrategy>(plan.search.systematic, plan.seed, !plan.stops.empty()));
  return portfolio;
}

// Random walks follow after the last schedule.
Portfolio period_portfolio(std::uint32_t depth, const Bounds& bounds) {
  Portfolio portfolio({});
  portfolio.ask_first(portfolio.add<PeriodStrategy>(depth, bounds), shares::kWhole);
  portfolio.fall_back_on(
      portfolio.add<RandomStrategy>(RandomStrategy::Mixture{.otherwise = SchedulerKind::kRandom}));
  return portfolio;
}

}  // namespace

Portfolio make_portfolio(const FuzzPlan& plan, Knowledge& knowledge, Corpus& corpus) {
  const SearchChoice& search = plan.search;
  switch (search.scheduler) {
    case SchedulerKind::kRff: break;
    case SchedulerKind::kUniform:
    case SchedulerKind::kSelective: return weighted_portfolio(plan);
    case SchedulerKind::kQLearning:
    case SchedulerKind::kQLearningRf: return learning_portfolio(search.scheduler);
    case SchedulerKind::kBytes: return bytes_portfolio();
    case SchedulerKind::kSystematic: return systematic_portfolio(plan);
    case SchedulerKind::kPeriod: return period_portfolio(search.depth, plan.bounds);
    default: return single_scheduler_portfolio(search.scheduler);
  }
  return search.paper || !search.feedback ? paper_portfolio(knowledge, corpus)
                                          : default_portfolio(plan, knowledge, corpus);
}

}  // namespace rff
