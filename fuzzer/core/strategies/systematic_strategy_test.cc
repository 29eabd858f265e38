// The systematic search as instances drive it: runs made before their time, and a search that goes
// on in another process.
#include "fuzzer/core/strategies/systematic_strategy.h"

#include <gtest/gtest.h>

#include "fuzzer/core/fuzz_core.h"
#include "fuzzer/systematic/random_programs.h"

namespace rff {
namespace {

FuzzPlan plan_of(const std::string& search) {
  FuzzPlan plan;
  plan.seed = 9;
  plan.search = *parse_search(search).choice;
  return plan;
}

constexpr const char* kSearches[] = {"systematic", "systematic:classes=interleavings",
                                     "systematic:preemptions=0..2"};

void expect_equal(const ExplorationState& a, const ExplorationState& b) {
  EXPECT_TRUE(a.finished && b.finished);
  EXPECT_EQ(a.classes, b.classes);
  EXPECT_EQ(a.redundant, b.redundant);
  EXPECT_EQ(a.reads_from_classes, b.reads_from_classes);
  EXPECT_EQ(a.failing, b.failing);
  EXPECT_EQ(a.explored, b.explored);
  EXPECT_EQ(a.steps.size(), b.steps.size());
}

ExplorationState explore_alone(const Threads& threads, const std::string& search) {
  SimulatedProgram program(threads);
  FuzzCore core(plan_of(search));
  while (!core.finished()) {
    Schedule s = core.next_schedule(0);
    core.report(s, program.run(s.exploration));
  }
  return *core.exploration();
}

// With several instances: up to so many schedules are under way, and their runs end in any order or
// never.
ExplorationState explore_together(const Threads& threads, const std::string& search,
                                  std::size_t instances, Random& random) {
  SimulatedProgram program(threads);
  FuzzCore core(plan_of(search));
  std::vector<Schedule> under_way;
  while (!core.finished()) {
    while (under_way.size() < instances) {
      std::vector<Schedule> next = core.foresee(2 * instances, 0);
      next.insert(next.begin(), core.next_schedule(0));
      under_way.push_back(next[random.below(next.size())]);
    }
    std::size_t ends = random.below(under_way.size());
    Schedule s = std::move(under_way[ends]);
    under_way.erase(under_way.begin() + static_cast<std::ptrdiff_t>(ends));
    if (!random.chance(1, 10)) {
      core.report(s, program.run(s.exploration));
    }
  }
  return *core.exploration();
}

TEST(SystematicStrategy, SeveralInstancesExploreWhatOneExplores) {
  Random random(31);
  for (int round = 0; round < 25; ++round) {
    Threads threads = random_threads(random, 2);
    for (const char* search : kSearches) {
      ExplorationState alone = explore_alone(threads, search);
      for (std::size_t instances : {1, 2, 3, 4}) {
        SCOPED_TRACE(testing::Message()
                     << "round " << round << ", " << instances << ", " << search);
        expect_equal(explore_together(threads, search, instances, random), alone);
      }
    }
  }
}

TEST(SystematicStrategy, GoesOnInAnotherProcess) {
  Random random(32);
  for (int round = 0; round < 25; ++round) {
    Threads threads = random_threads(random, 2);
    for (const char* search : kSearches) {
      SimulatedProgram program(threads);
      auto core = std::make_unique<FuzzCore>(plan_of(search));
      while (!core->finished()) {
        std::string bytes = core->save();
        if (random.chance(1, 3)) {
          core = std::make_unique<FuzzCore>(plan_of(search));
          ASSERT_EQ(core->restore(bytes), "");
        }
        Schedule s = core->next_schedule(0);
        core->report(s, program.run(s.exploration));
      }
      std::string bytes = core->save();
      core = std::make_unique<FuzzCore>(plan_of(search));
      ASSERT_EQ(core->restore(bytes), "");
      SCOPED_TRACE(testing::Message() << "round " << round << ", " << search);
      expect_equal(*core->exploration(), explore_alone(threads, search));
    }
  }
}

TEST(SystematicStrategy, ARunThatIsLostBeforeItsTimeIsMadeAgain) {
  Threads threads(3, straight({read(0), write(0)}));
  SimulatedProgram program(threads);
  FuzzCore core(plan_of("systematic"));
  for (int lost = 0; !core.finished();) {
    std::vector<Schedule> ahead = core.foresee(1, 0);
    if (!ahead.empty() && lost++ < 5) {
      RunSummary summary;
      summary.outcome = RunOutcome::kUnresponsive;
      core.report(ahead[0], summary);
    }
    Schedule s = core.next_schedule(0);
    core.report(s, program.run(s.exploration));
  }
  EXPECT_EQ(core.exploration()->classes, 36u);
  EXPECT_EQ(core.exploration()->reason, "");
}

TEST(SystematicStrategy, NewSchedulingPointsStartItAnew) {
  Threads threads(3, straight({read(0), write(0)}));
  SimulatedProgram program(threads);
  FuzzCore core(plan_of("systematic"));
  std::vector<Schedule> ahead;
  while (ahead.empty()) {
    Schedule s = core.next_schedule(0);
    core.report(s, program.run(s.exploration));
    ahead = core.foresee(1, 0);
  }
  std::uint64_t point = 1;
  core.add_points({&point, 1});
  core.report(ahead[0], program.run(ahead[0].exploration));
  EXPECT_EQ(core.exploration()->explored, 0u);
  while (!core.finished()) {
    Schedule s = core.next_schedule(1);
    core.report(s, program.run(s.exploration));
  }
  EXPECT_EQ(core.exploration()->classes, 36u);
}

}  // namespace
}  // namespace rff
