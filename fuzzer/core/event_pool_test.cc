#include "fuzzer/core/event_pool.h"

#include <gtest/gtest.h>

#include <set>

#include "fuzzer/core/test_runs.h"

namespace rff {
namespace {

using namespace test_data;

std::set<Constraint> all_pairs(const EventPool& pool) {
  std::set<Constraint> result;
  for (const EventPool::Pair& p : pool.pairs()) {
    result.insert({pool.events()[p.write], pool.events()[p.read], true});
  }
  return result;
}

TEST(EventPool, PairsEveryWriteAndInitWithEveryReadOfTheSameLocation) {
  EventPool pool;
  FakeRun run;
  run.event(write_at(kX, 1));
  run.event(read_at(kX, 2));
  run.event(read_at(kX, 3));
  run.event(write_at(kY, 4));
  pool.observe(run.summary());
  std::set<Constraint> expected = {{write_at(kX, 1), read_at(kX, 2), true},
                                   {write_at(kX, 1), read_at(kX, 3), true},
                                   {AbstractEvent::init(kX), read_at(kX, 2), true},
                                   {AbstractEvent::init(kX), read_at(kX, 3), true}};
  EXPECT_EQ(all_pairs(pool), expected);
}

TEST(EventPool, JoinsEventsOfDifferentRuns) {
  EventPool pool;
  FakeRun first, second;
  first.event(read_at(kX, 2));
  second.event(write_at(kX, 1));
  pool.observe(first.summary());
  pool.observe(second.summary());
  EXPECT_TRUE(all_pairs(pool).contains({write_at(kX, 1), read_at(kX, 2), true}));
}

// Takes minutes if a wide event makes narrow events search a wide range.
TEST(EventPool, PairsAWideWriteWithTensOfThousandsOfNarrowReads) {
  constexpr std::uint32_t kReads = 40'000;
  std::vector<AbstractEvent> events = {
      AbstractEvent::make(OpKind::kWrite, variable(0), kReads, {7, 1})};
  for (std::uint32_t i = 0; i < kReads; ++i) {
    events.push_back(AbstractEvent::make(OpKind::kRead, variable(i), 1, {7, 2}));
  }
  RunSummary run;
  run.events = events;
  EventPool pool;
  pool.observe(run);
  EXPECT_EQ(pool.pairs().size(),
            2 * kReads);  // each read with the write and with its initial value
}

TEST(EventPool, PairsAccessesThatOverlapInPart) {
  EventPool pool;
  FakeRun run;
  AbstractEvent wide = AbstractEvent::make(OpKind::kWrite, variable(0x40), 16, {7, 1});
  run.event(wide);
  run.event(read_at(variable(0x4c), 2));
  run.event(read_at(variable(0x50), 3));
  pool.observe(run.summary());
  EXPECT_TRUE(all_pairs(pool).contains({wide, read_at(variable(0x4c), 2), true}));
  EXPECT_FALSE(all_pairs(pool).contains({wide, read_at(variable(0x50), 3), true}));
}

TEST(EventPool, AReadModifyWriteMayReadFromItsOwnKind) {
  EventPool pool;
  FakeRun run;
  AbstractEvent rmw = AbstractEvent::make(OpKind::kReadModifyWrite, kX, 4, {7, 1});
  run.event(rmw);
  pool.observe(run.summary());
  EXPECT_TRUE(all_pairs(pool).contains({rmw, rmw, true}));
}

TEST(EventPool, LeavesOutWhatNoScheduleCanChange) {
  EventPool pool;
  FakeRun run;
  Location thread{LocationKind::kThread, 9, 0};
  run.reads_from(AbstractEvent::make(OpKind::kThreadCreate, thread, 0, {7, 1}),
                 AbstractEvent::make(OpKind::kThreadStart, thread, 0, {7, 2}));
  run.reads_from(AbstractEvent::unseen(kX), read_at(kX, 3));
  pool.observe(run.summary());
  EXPECT_EQ(all_pairs(pool),
            (std::set<Constraint>{{AbstractEvent::init(kX), read_at(kX, 3), true}}));
}

TEST(EventPool, CountsReadsFromPairsOnce) {
  EventPool pool;
  FakeRun run;
  run.reads_from(write_at(kX, 1), read_at(kX, 2));
  EXPECT_EQ(pool.observe(run.summary()).size(), 1u);
  EXPECT_EQ(pool.observe(run.summary()).size(), 0u);
  EXPECT_EQ(pool.observed_pairs(), 1u);
}

TEST(EventPool, SkipsPairsWithWildIndexes) {
  EventPool pool;
  std::vector<ReadsFromPair> wild = {{5, 6}};
  RunSummary run;
  run.outcome = RunOutcome::kNormal;
  run.pairs = wild;
  EXPECT_TRUE(pool.observe(run).empty());
}

TEST(EventPool, DrawsNothingFromNothing) {
  EventPool pool;
  Random random(1);
  EXPECT_FALSE(pool.draw(random, true).has_value());
}

TEST(EventPool, DrawsAllPairsBeforeItRepeatsOne) {
  EventPool pool;
  FakeRun run;
  for (std::uint32_t site = 0; site < 3; ++site) {
    run.event(write_at(kX, 10 + site));
    run.event(read_at(kX, 20 + site));
  }
  pool.observe(run.summary());
  ASSERT_EQ(pool.pairs().size(), 12u);
  Random random(7);
  std::set<Constraint> drawn;
  for (int i = 0; i < 12; ++i) {
    auto c = pool.draw(random, false);
    ASSERT_TRUE(c.has_value());
    EXPECT_TRUE(c->valid());
    EXPECT_FALSE(c->positive);
    drawn.insert(*c);
  }
  EXPECT_GE(drawn.size(), 11u);  // almost all: a draw samples
}

TEST(EventPool, PrefersWhatASchedulerCanHoldBack) {
  EventPool pool;
  FakeRun run;
  run.reads_from(write_at(kX, 1), read_at(kX, 2));
  run.reads_from(write_at(kY, 3), read_at(kY, 4));
  pool.observe(run.summary());
  std::vector<std::uint64_t> points = {write_at(kY, 3).site.packed(), read_at(kY, 4).site.packed()};
  pool.add_points(points);
  Random random(5);
  for (int i = 0; i < 20; ++i) EXPECT_EQ(pool.draw(random, false)->read, read_at(kY, 4));
}

TEST(EventPool, ForbidsFirstWhatWasSeenAndAsksFirstForWhatWasNot) {
  EventPool pool;
  FakeRun run;
  run.reads_from(write_at(kX, 1), read_at(kX, 2));
  pool.observe(run.summary());
  Random random(3);
  EXPECT_EQ(pool.draw(random, false)->write, write_at(kX, 1));
  EXPECT_EQ(pool.draw(random, true)->write, AbstractEvent::init(kX));
}

}  // namespace
}  // namespace rff
