// Unit tests of what locks hand over from thread to thread: it is ordered in the run that is
// looked at and perhaps in no other one, so it gets a limited number of stops.
#include <gtest/gtest.h>

#include <algorithm>

#include "libsched/memory/patched_program.h"

namespace rff {
namespace {

constexpr std::uint64_t kOrdinarySeed = 1;
constexpr std::uint64_t kThoroughSeed = 16;  // one of 16
constexpr std::size_t kMostStops = 2000;
constexpr std::size_t kWords = kMostStops + 500;
alignas(256) std::uint64_t payload[kWords];

class HandOverTest : public testing::Test {
 protected:
  HandOverTest() { std::fill(std::begin(payload), std::end(payload), 0); }

  // One thread writes the words and hands them over; another one takes and reads them.
  void hand_over(WatchedProgram& p, std::size_t words) {
    p.together({[&p, words, this] {
                  for (std::size_t i = 0; i < words; ++i) {
                    p.write(kWrite, payload[i], std::uint64_t{1});
                  }
                  p.lock(m_, 10);
                  p.unlock(m_, 11);
                },
                [&p, words, this] {
                  p.lock(m_, 12);
                  p.unlock(m_, 13);
                  std::uint64_t before = p.execution.points;
                  for (std::size_t i = 0; i < words; ++i) {
                    p.read(kRead, payload[i]);
                  }
                  stops_ = p.execution.points - before;
                }});
  }
  static std::vector<std::uint64_t> names(WatchedProgram& p, bool handed_over,
                                          std::vector<Site> sites) {
    std::vector<std::uint64_t> packed;
    for (Site site : sites) {
      packed.push_back(PointName{p.module().site_name(site), handed_over}.packed());
    }
    return packed;
  }

  FakeMutex m_;
  std::uint64_t stops_ = 0;
};

TEST_F(HandOverTest, IsLearnedAsWhatItIs) {
  WatchedProgram p;
  p.run([&] { hand_over(p, 1); });
  EXPECT_EQ(p.accesses.points.learned(), names(p, true, {kWrite, kRead}));
  EXPECT_EQ(stops_, 1u);
}

TEST_F(HandOverTest, StopsALimitedNumberOfTimes) {
  WatchedProgram p(SchedulerKind::kSteady, kOrdinarySeed);
  p.run([&] { hand_over(p, kWords); });
  EXPECT_EQ(stops_, kMostStops);
}

TEST_F(HandOverTest, StopsEverywhereInOneRunOfSome) {
  WatchedProgram p(SchedulerKind::kSteady, kThoroughSeed);
  p.run([&] { hand_over(p, kWords); });
  EXPECT_EQ(stops_, kWords);
}

TEST_F(HandOverTest, KnownPlacesStopTogetherALimitedNumberOfTimesToo) {
  WatchedProgram p(SchedulerKind::kSteady, kOrdinarySeed);
  std::vector<std::uint64_t> points = names(p, true, {kWrite, kRead});
  p.accesses.points.use(points.data(), points.data() + points.size());
  p.run([&] { hand_over(p, kMostStops / 2 + 100); });
  EXPECT_EQ(stops_, kMostStops / 2 - 100);
  EXPECT_FALSE(p.module().stops_at(kRead));
}

TEST_F(HandOverTest, AfterItsStopsARaceStillStops) {
  WatchedProgram p(SchedulerKind::kSteady, kOrdinarySeed);
  std::uint64_t stops = 0;
  p.run([&] {
    hand_over(p, kWords);
    p.together({[&] { p.write(kWrite2, payload[7], std::uint64_t{2}); },
                [&] {
                  stops = p.execution.points;
                  p.read(kRead2, payload[7]);
                  p.read(kRead2, payload[8]);
                  stops = p.execution.points - stops;
                }});
  });
  EXPECT_EQ(stops, 1u);
}

TEST_F(HandOverTest, APlaceThatAlsoRacesBecomesAnOrdinaryPoint) {
  WatchedProgram p;
  std::vector<std::uint64_t> points = names(p, true, {kWrite, kRead});
  p.accesses.points.use(points.data(), points.data() + points.size());
  p.run([&] {
    p.together({[&] { p.write(kWrite, payload[0], std::uint64_t{1}); },
                [&] { p.read(kRead, payload[0]); }, [&] { p.read(kRead, payload[0]); }});
  });
  EXPECT_EQ(p.accesses.points.learned(), names(p, false, {kWrite, kRead}));
  EXPECT_TRUE(p.module().stops_at(kRead));  // as before in this run
}

TEST_F(HandOverTest, AnOrdinaryPointStaysOne) {
  WatchedProgram p;
  std::vector<std::uint64_t> points = names(p, false, {kWrite, kRead});
  p.accesses.points.use(points.data(), points.data() + points.size());
  p.run([&] { hand_over(p, 1); });
  EXPECT_TRUE(p.accesses.points.learned().empty());
}

}  // namespace
}  // namespace rff
