#include "fuzzer/core/work_profile.h"

#include <gtest/gtest.h>

#include <map>

#include "fuzzer/core/test_runs.h"

namespace rff {
namespace {

using namespace test_data;

AbstractEvent creation() {
  return AbstractEvent::make(OpKind::kThreadCreate, {LocationKind::kThread, 0, 1}, 0, {7, 1});
}

std::uint64_t points(const Estimates& estimates, std::string_view thread) {
  for (const ThreadEstimate& e : estimates.threads) {
    if (e.thread == hash_bytes(thread)) {
      return e.points;
    }
  }
  return 0;
}

// main creates main.1, which creates main.1.1; both use x, main.1.1 uses y `times` as well.
FakeRun family(int times) {
  FakeRun run;
  run.step(0, creation(), 0);
  run.step(1, write_at(kX, 1), 0x40);
  run.step(1, creation(), 0);
  run.step(2, read_at(kX, 2), 0x40);
  for (int i = 0; i < times; ++i) {
    run.step(2, write_at(kY, 3), 0x80);
  }
  return run;
}

TEST(WorkProfile, AThreadCountsForThoseItCreates) {
  WorkProfile profile;
  EXPECT_TRUE(profile.empty());
  profile.observe(family(3).summary());
  Estimates all = profile.all_events();
  EXPECT_EQ(all.key, 0u);
  EXPECT_EQ(points(all, "main.1.1"), 4u);
  EXPECT_EQ(points(all, "main.1"), 2u + 4u);
  EXPECT_EQ(points(all, "main"), 1u + 2u + 4u);
}

TEST(WorkProfile, EstimatesAreTheMeanOfTheLastRuns) {
  WorkProfile profile;
  for (int times : {1000, 1, 1, 5, 5}) {  // the first one is forgotten
    profile.observe(family(times).summary());
  }
  EXPECT_EQ(points(profile.all_events(), "main.1.1"), 1u + 3u);
}

TEST(WorkProfile, OnePlaceIsOneThatSeveralThreadsUse) {
  WorkProfile profile;
  profile.observe(family(50).summary());
  Random random(1);
  for (int i = 0; i < 20; ++i) {
    Estimates one = profile.one_set(random);
    EXPECT_EQ(one.key, location_key(write_at(kX, 1)));  // only main.1.1 uses y
    EXPECT_EQ(points(one, "main.1.1"), 1u);
    EXPECT_EQ(points(one, "main.1"), 2u);
    EXPECT_EQ(points(one, "main"), 2u);
  }
}

TEST(WorkProfile, PlacesAreDrawnInProportionToTheirAccesses) {
  WorkProfile profile;
  FakeRun run;
  run.step(0, creation(), 0);
  for (std::uint16_t thread : {0, 1}) {
    run.step(thread, write_at(kX, 1), 0x40);
    for (int i = 0; i < 3; ++i) {
      run.step(thread, write_at(kY, 2), 0x80);
    }
  }
  profile.observe(run.summary());
  Random random(1);
  int y = 0;
  for (int i = 0; i < 1000; ++i) {
    y += profile.one_set(random).key == location_key(write_at(kY, 2)) ? 1 : 0;
  }
  EXPECT_NEAR(y, 750, 70);
}

TEST(WorkProfile, WithoutASharedPlaceAllEventsCount) {
  WorkProfile profile;
  FakeRun run;
  run.step(0, write_at(kX, 1), 0x40);
  profile.observe(run.summary());
  Random random(1);
  EXPECT_EQ(profile.one_set(random), profile.all_events());
}

// Two threads with a lock each, and each writes y once and x twice, from two places in code.
FakeRun two_users() {
  FakeRun run;
  run.step(0, creation(), 0);
  for (std::uint16_t thread : {0, 1}) {
    run.step(thread, object_event(OpKind::kLock, variable(0xc0 + 8u * thread), 5),
             0xc0u + 8u * thread);
    run.step(thread, write_at(kY, 3), 0x80);
    run.step(thread, write_at(kX, 3), 0x40);
    run.step(thread, write_at(kX, 4), 0x40);
  }
  return run;
}

std::uint64_t points_by(const EventSelection& selection) {
  WorkProfile profile(selection);
  profile.observe(two_users().summary());
  Random random(1);
  Estimates one = profile.one_set(random);
  EXPECT_EQ(one.selection, selection);
  EXPECT_NE(one.key, 0u);
  return points(one, "main.1");
}

TEST(WorkProfile, ASetMayBeLocksOrListedCode) {
  EXPECT_EQ(points_by({EventSelection::By::kLocks, {}}), 1u);
  EXPECT_EQ(points_by({EventSelection::By::kListed, {write_at(kX, 3).site}}), 2u);
  EXPECT_EQ(points_by({EventSelection::By::kListed, {write_at(kX, 3).site, write_at(kX, 4).site}}),
            3u);
}

TEST(WorkProfile, ASetMayBeThePlacesInCode) {
  EventSelection by_site = {EventSelection::By::kSite, {}};
  WorkProfile profile(by_site);
  profile.observe(two_users().summary());
  Random random(1);
  std::map<std::uint64_t, std::uint64_t> seen;  // key → points of main.1
  for (int i = 0; i < 100; ++i) {
    Estimates one = profile.one_set(random);
    seen[one.key] = points(one, "main.1");
  }
  auto key = [&](const AbstractEvent& e) { return selection_key(e, by_site); };
  EXPECT_EQ(seen,
            (std::map<std::uint64_t, std::uint64_t>{{key(write_at(kX, 3)), 2},
                                                    {key(write_at(kX, 4)), 1},
                                                    {key(object_event(OpKind::kLock, kX, 5)), 1}}));
}

}  // namespace
}  // namespace rff
