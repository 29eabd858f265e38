#include "fuzzer/core/races.h"

#include <gtest/gtest.h>

#include "fuzzer/core/test_runs.h"

namespace rff {
namespace {

using namespace test_data;

const Location kM = variable(0xc0);

AbstractEvent thread_event(OpKind op) { return object_event(op, {LocationKind::kThread, 5, 0}, 5); }

std::vector<std::pair<std::uint32_t, std::uint32_t>> near(const FakeRun& run) {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs;
  for (const Race& r : find_races(run.summary())) {
    if (!r.far) pairs.push_back({r.first, r.second});
  }
  return pairs;
}
using Pairs = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

TEST(Races, ConflictingStepsOfTwoThreads) {
  FakeRun run;
  run.step(1, write_at(kX, 1), 0x40).step(2, read_at(kX, 2), 0x40).step(2, read_at(kY, 3), 0x80);
  EXPECT_EQ(near(run), (Pairs{{0, 1}}));
}

TEST(Races, TwoReadsAreNone) {
  FakeRun run;
  run.step(1, read_at(kX, 1), 0x40).step(2, read_at(kX, 2), 0x40);
  EXPECT_EQ(near(run), Pairs{});
}

TEST(Races, BytesSideBySideAreNone) {
  FakeRun run;
  run.step(1, write_at(kX, 1), 0x40).step(2, write_at(variable(0x44), 2), 0x44);
  EXPECT_EQ(near(run), Pairs{});
}

TEST(Races, DoNotExistBetweenOrderedEvents) {
  FakeRun run;  // x before y in thread 1, y before x in thread 2
  run.step(1, write_at(kX, 1), 0x40)
      .step(1, write_at(kY, 2), 0x80)
      .step(2, read_at(kY, 3), 0x80)
      .step(2, read_at(kX, 4), 0x40);
  EXPECT_EQ(near(run), (Pairs{{1, 2}}));
}

TEST(Races, DoNotExistBetweenCreatorAndCreated) {
  FakeRun run;
  run.step(0, write_at(kX, 1), 0x40)
      .step(0, thread_event(OpKind::kThreadCreate), 0)
      .step(0, write_at(kY, 2), 0x80)
      .step(1, thread_event(OpKind::kThreadStart), 0x9000)
      .step(1, read_at(kX, 3), 0x40)
      .step(1, read_at(kY, 4), 0x80)
      .step(1, write_at(kX, 5), 0x40)
      .step(1, thread_event(OpKind::kThreadEnd), 0x9000)
      .step(0, thread_event(OpKind::kThreadJoin), 0x9000)
      .step(0, read_at(kX, 6), 0x40);
  EXPECT_EQ(near(run), (Pairs{{2, 5}}));
  EXPECT_EQ(find_races(run.summary()).size(), 1u);  // joining also excludes far pairs
}

TEST(Races, LocksChangePlacesWithLocks) {
  FakeRun run;
  run.step(1, object_event(OpKind::kLock, kM, 1), 0xc0)
      .step(1, write_at(kX, 2), 0x40)
      .step(1, object_event(OpKind::kUnlock, kM, 3), 0xc0)
      .step(2, object_event(OpKind::kLock, kM, 4), 0xc0)
      .step(2, read_at(kX, 5), 0x40)
      .step(2, object_event(OpKind::kUnlock, kM, 6), 0xc0);
  std::vector<Race> races = find_races(run.summary());
  ASSERT_FALSE(races.empty());
  EXPECT_TRUE(races[0].lock);
  EXPECT_EQ(races[0].first, 0u);
  EXPECT_EQ(races[0].second, 3u);
  EXPECT_FALSE(races[0].idle);
  // In the other order thread 2 reads the initial value.
  EXPECT_EQ(races[0].predicted, pair_id(AbstractEvent::init(kX), read_at(kX, 5)));
  EXPECT_EQ(near(run), (Pairs{{0, 3}}));  // the locks order the steps that they guard
}

TEST(Races, SectionsWithNothingInCommonAreIdle) {
  FakeRun run;
  run.step(1, object_event(OpKind::kLock, kM, 1), 0xc0)
      .step(1, write_at(kX, 2), 0x40)
      .step(1, object_event(OpKind::kUnlock, kM, 3), 0xc0)
      .step(2, object_event(OpKind::kLock, kM, 4), 0xc0)
      .step(2, read_at(kY, 5), 0x80)
      .step(2, object_event(OpKind::kUnlock, kM, 6), 0xc0);
  EXPECT_TRUE(find_races(run.summary())[0].idle);
}

// The order of a wait and a signal decides whether the signal is lost.
TEST(Races, SectionsOfAWaitAndASignalAreNotIdle) {
  const Location condition = variable(0x100);
  for (OpKind op : {OpKind::kSignal, OpKind::kBroadcast, OpKind::kWait}) {
    FakeRun run;
    run.step(1, object_event(OpKind::kLock, kM, 1), 0xc0)
        .step(1, object_event(OpKind::kWait, condition, 2), 0x100)
        .step(1, object_event(OpKind::kUnlock, kM, 2), 0xc0)
        .step(2, object_event(OpKind::kLock, kM, 4), 0xc0)
        .step(2, object_event(op, condition, 5), 0x100)
        .step(2, object_event(OpKind::kUnlock, kM, 6), 0xc0);
    Race race = find_races(run.summary())[0];
    ASSERT_TRUE(race.lock);
    bool two_waits = op == OpKind::kWait;
    EXPECT_EQ(race.idle, two_waits) << op_name(op);
    std::uint64_t unheard = pair_id(AbstractEvent::init(condition), object_event(op, condition, 5));
    EXPECT_EQ(race.predicted, two_waits ? 0 : unheard) << op_name(op);
  }
}

TEST(Races, PredictWhatTheOtherOrderReads) {
  FakeRun run;
  run.step(0, write_at(kX, 9), 0x40).step(1, write_at(kX, 1), 0x40).step(2, read_at(kX, 2), 0x40);
  std::vector<Race> races = find_races(run.summary());
  auto last = races.back();
  for (const Race& r : races) {
    if (r.first == 1 && r.second == 2) last = r;
  }
  EXPECT_EQ(last.predicted, pair_id(write_at(kX, 9), read_at(kX, 2)));
}

TEST(Races, AreBounded) {
  FakeRun run;
  for (int i = 0; i < 3000; ++i) {
    run.step(static_cast<std::uint16_t>(i % 7), write_at(kX, 1), 0x40);
  }
  EXPECT_LE(find_races(run.summary()).size(), kMaxRaces + 8);
}

}  // namespace
}  // namespace rff
