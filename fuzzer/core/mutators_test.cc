#include "fuzzer/core/mutators.h"

#include <gtest/gtest.h>

#include <map>

#include "fuzzer/core/test_runs.h"

namespace rff {
namespace {

using namespace test_data;

EventPool pool_of(int variables) {
  EventPool pool;
  FakeRun run;
  for (int i = 0; i < variables; ++i) {
    Location x = variable(0x100 + 16 * static_cast<std::uint64_t>(i));
    auto site = static_cast<std::uint32_t>(10 * i);
    run.reads_from(write_at(x, site), read_at(x, site + 1));
  }
  pool.observe(run.summary());
  return pool;
}

TEST(Mutator, KeepsTheEmptyScheduleWhenNothingIsKnown) {
  EventPool pool;
  Random random(1);
  Mutator mutator(pool, random);
  AbstractSchedule schedule;
  for (int i = 0; i < 50; ++i) {
    EXPECT_EQ(mutator.mutate(schedule), Mutation::kReseed);
    EXPECT_TRUE(schedule.empty());
  }
}

TEST(Mutator, OnlyInsertsIntoTheEmptySchedule) {
  EventPool pool = pool_of(4);
  Random random(2);
  Mutator mutator(pool, random);
  int inserted = 0;
  for (int i = 0; i < 200; ++i) {
    AbstractSchedule schedule;
    Mutation m = mutator.mutate(schedule);
    EXPECT_EQ(schedule.size(), m == Mutation::kInsert ? 1u : 0u);
    inserted += m == Mutation::kInsert;
  }
  EXPECT_GT(inserted, 120);
  EXPECT_LT(inserted, 200);
}

TEST(Mutator, DoesWhatItSays) {
  EventPool pool = pool_of(6);
  Random random(3);
  Mutator mutator(pool, random);
  AbstractSchedule parent;
  for (int i = 0; i < 3; ++i) {
    parent.insert({write_at(variable(0x100 + 16 * i), 10 * i),
                   read_at(variable(0x100 + 16 * i), 10 * i + 1), false});
  }
  std::map<Mutation, int> seen;
  for (int i = 0; i < 500; ++i) {
    AbstractSchedule child = parent;
    Mutation m = mutator.mutate(child);
    ++seen[m];
    switch (m) {
      case Mutation::kInsert:
        EXPECT_LE(child.size(), 4u);
        EXPECT_GE(child.size(), 3u);  // 3: it replaced the opposite constraint on the same pair
        break;
      case Mutation::kSwap: EXPECT_LE(child.size(), 3u); break;
      case Mutation::kDelete: EXPECT_EQ(child.size(), 2u); break;
      case Mutation::kNegate:
        EXPECT_EQ(child.size(), 3u);
        EXPECT_NE(child, parent);
        break;
      case Mutation::kReseed: EXPECT_EQ(child, parent); break;
    }
    for (const Constraint& c : child.constraints()) EXPECT_TRUE(c.valid());
  }
  EXPECT_EQ(seen.size(), 5u);
}

TEST(Mutator, ForbidsPairsMoreOftenThanItAsksForThem) {
  EventPool pool = pool_of(50);
  Random random(4);
  Mutator mutator(pool, random);
  int positive = 0, negative = 0;
  for (int i = 0; i < 3000; ++i) {
    AbstractSchedule schedule;
    if (mutator.mutate(schedule) == Mutation::kInsert) {
      (schedule.constraints()[0].positive ? positive : negative)++;
    }
  }
  EXPECT_NEAR(static_cast<double>(positive) / (positive + negative), 1.0 / 9, 0.03);
}

}  // namespace
}  // namespace rff
