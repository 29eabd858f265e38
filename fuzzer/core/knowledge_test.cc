#include "fuzzer/core/knowledge.h"

#include <gtest/gtest.h>

#include "fuzzer/core/test_runs.h"

namespace rff {
namespace {

using namespace test_data;

FakeRun write_and_read(std::uint32_t write_site) {
  FakeRun run;
  run.reads_from(write_at(kX, write_site), read_at(kX, 2));
  run.step(1, write_at(kX, write_site), 0x40).step(2, read_at(kX, 2), 0x40);
  return run;
}

TEST(Knowledge, TellsWhatARunShowsForTheFirstTime) {
  Knowledge knowledge({});
  FakeRun run = write_and_read(1);
  RunSummary summary = run.summary();
  Lesson first = knowledge.learn({}, summary);
  EXPECT_EQ(first.new_pairs, 1u);
  EXPECT_TRUE(first.new_path);
  EXPECT_TRUE(first.worthwhile);
  EXPECT_EQ(first.order.entries->size(), 2u);
  Lesson again = knowledge.learn({}, summary);
  EXPECT_EQ(again.new_pairs, 0u);
  EXPECT_FALSE(again.new_path);
  EXPECT_FALSE(again.worthwhile);
}

TEST(Knowledge, FindsNothingWorthwhileInRoundRobinOutOfStep) {
  FakeRun run = write_and_read(1);
  RunSummary summary = run.summary();
  Schedule schedule;
  schedule.scheduler = SchedulerKind::kRoundRobin;
  for (std::uint64_t seed : {0, 1}) {
    schedule.seed = seed;
    Lesson lesson = Knowledge({}).learn(schedule, summary);
    EXPECT_TRUE(lesson.new_path);
    EXPECT_EQ(lesson.worthwhile, seed == 0);
  }
}

TEST(Knowledge, ARunThatComparesWhatWasNeverComparedIsWorthwhile) {
  Knowledge knowledge({});
  auto worthwhile = [&](std::uint64_t value, std::uint32_t site) {
    FakeRun run = write_and_read(1);
    RunSummary summary = run.compares(value, 50, site).summary();
    return knowledge.learn({}, summary).worthwhile;
  };
  EXPECT_TRUE(worthwhile(0, 9));  // shows a path, too
  EXPECT_TRUE(worthwhile(1, 9));
  EXPECT_FALSE(worthwhile(1, 9));
  for (std::uint64_t value = 2; value < 8; ++value) {
    EXPECT_TRUE(worthwhile(value, 9));
  }
  EXPECT_FALSE(worthwhile(8, 9)) << "a place that compares with everything";
  EXPECT_TRUE(worthwhile(8, 10));
}

TEST(Knowledge, EachSetOfEqualOperandsIsWorthwhile) {
  Knowledge knowledge({});
  auto worthwhile = [&](std::uint64_t x, std::uint64_t y) {
    FakeRun run = write_and_read(1);
    RunSummary summary = run.compares(x, 50, 9).compares(y, 50, 10).summary();
    return knowledge.learn({}, summary).worthwhile;
  };
  for (std::uint64_t value = 0; value < 20; ++value) {
    worthwhile(value, value);  // both places have shown enough
  }
  EXPECT_FALSE(worthwhile(30, 30));
  for (auto [x, y] : {std::pair{50, 30}, {30, 50}, {50, 50}}) {
    for (int i = 0; i < 4; ++i) {
      EXPECT_TRUE(worthwhile(x, y));
    }
    EXPECT_FALSE(worthwhile(x, y));
  }
}

TEST(Knowledge, LearnsNoOrderForThePaper) {
  Knowledge knowledge({.search = {.paper = true}});
  FakeRun run = write_and_read(1);
  RunSummary summary = run.summary();
  Lesson lesson = knowledge.learn({}, summary);
  EXPECT_EQ(lesson.new_pairs, 1u);
  EXPECT_FALSE(lesson.new_path);
  EXPECT_EQ(lesson.order.entries, nullptr);
}

TEST(Knowledge, NoticesWhenTooManyOrdersAreHeld) {
  Knowledge knowledge({.bounds = {.order_entries = 2}});
  std::vector<RecordedOrder> held;
  for (std::uint32_t site = 10; site < 13; ++site) {
    FakeRun run = write_and_read(site);
    RunSummary summary = run.summary();
    held.push_back(knowledge.learn({}, summary).order);
    EXPECT_FALSE(knowledge.holds_too_many_orders());
  }
  FakeRun run = write_and_read(13);
  RunSummary summary = run.summary();
  held.push_back(knowledge.learn({}, summary).order);
  EXPECT_TRUE(knowledge.holds_too_many_orders());
  held.clear();
  EXPECT_FALSE(knowledge.holds_too_many_orders());
}

}  // namespace
}  // namespace rff
