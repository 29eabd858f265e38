#include "fuzzer/core/strategies/period_strategy.h"

#include <gtest/gtest.h>

#include "fuzzer/core/test_lessons.h"

namespace rff {
namespace {

using namespace test_data;

FakeRun two_threads(int points) {
  FakeRun run;
  for (std::uint16_t thread : {0, 1}) {
    for (int i = 0; i < points; ++i) run.step(thread, write_at(kX, 1), 0x40);
  }
  return run;
}

std::vector<std::string> proposals(PeriodStrategy& strategy) {
  Random random(1);
  std::vector<std::string> result;
  while (std::optional<Schedule> s = strategy.propose(random)) {
    EXPECT_EQ(s->scheduler, SchedulerKind::kPeriod);
    EXPECT_EQ(s->guided, !s->prefix.empty());
    std::string text;
    for (const Decision& d : s->prefix) text += std::to_string(d.thread);
    result.push_back(text);
  }
  return result;
}

TEST(PeriodStrategy, BeginsWithAProfile) {
  PeriodStrategy strategy(3, {});
  EXPECT_EQ(proposals(strategy), (std::vector<std::string>{""}));
}

TEST(PeriodStrategy, ProposesAllSchedulesOfWhatItHasSeen) {
  Teacher teacher;
  PeriodStrategy strategy(3, {});
  proposals(strategy);
  teacher.show(strategy, two_threads(2));
  EXPECT_EQ(proposals(strategy),
            (std::vector<std::string>{"0011", "0110", "1100", "0101", "1001", "1010"}));
  PeriodStrategy shallow(1, {});
  proposals(shallow);
  teacher.show(shallow, two_threads(2));
  EXPECT_EQ(proposals(shallow), (std::vector<std::string>{"0011", "1100"}));
}

TEST(PeriodStrategy, ALongerRunBringsNewSchedulesAndNoneTwice) {
  Teacher teacher;
  PeriodStrategy strategy(1, {});
  proposals(strategy);
  teacher.show(strategy, two_threads(2));
  EXPECT_EQ(proposals(strategy).size(), 2u);
  teacher.show(strategy, two_threads(2));
  EXPECT_TRUE(proposals(strategy).empty());
  teacher.show(strategy, two_threads(3));
  EXPECT_EQ(proposals(strategy), (std::vector<std::string>{"000111", "111000"}));
}

FakeRun in_order(std::string_view threads) {
  FakeRun run;
  for (char thread : threads) {
    run.step(static_cast<std::uint16_t>(thread - '0'), write_at(kX, 1), 0x40);
  }
  return run;
}

TEST(PeriodStrategy, CountsItsProfileAndTheRunsThatMetABlockedThread) {
  Teacher teacher;
  PeriodStrategy strategy(1, {});
  Random random(1);
  auto run = [&](std::string_view threads) {
    std::optional<Schedule> schedule = strategy.propose(random);
    ASSERT_TRUE(schedule);
    FakeRun made = in_order(threads);
    teacher.show(strategy, made, &strategy, *schedule);
  };
  run("0011");
  EXPECT_EQ(strategy.counts(), (Strategy::Counts{.profiles = 1, .blocked = 0}));
  run("0101");  // proposed: 0011
  EXPECT_EQ(strategy.counts(), (Strategy::Counts{.profiles = 1, .blocked = 1}));
  run("100");  // proposed: 1100; thread 1 has ended
  EXPECT_EQ(strategy.counts(), (Strategy::Counts{.profiles = 1, .blocked = 1}));
}

}  // namespace
}  // namespace rff
