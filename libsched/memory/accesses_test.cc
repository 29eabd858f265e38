// Unit tests of Accesses: which words are shared, which accesses are scheduling points, and how
// instructions that read and write take effect.
#include "libsched/memory/accesses.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <vector>

#include "libsched/memory/patched_program.h"

namespace rff {
namespace {

alignas(256) std::uint64_t memory[128];
std::uint64_t& x = memory[0];
std::uint64_t& y = memory[1];
const auto kX = reinterpret_cast<std::uint64_t>(&x);

class AccessesTest : public testing::Test {
 protected:
  AccessesTest() { std::fill(std::begin(memory), std::end(memory), 0); }
};

CodeName site_name(WatchedProgram& p, Site site) { return p.module().site_name(site); }

std::vector<CodeName> learned(const WatchedProgram& p) {
  std::vector<CodeName> sites;
  for (std::uint64_t packed : p.accesses.points.learned()) {
    sites.push_back(CodeName::unpack(packed));
  }
  return sites;
}

TEST_F(AccessesTest, AWordThatOneThreadUsesIsNoSchedulingPoint) {
  WatchedProgram p;
  std::uint64_t points = 0;
  p.run([&] {
    p.together({[&] {
      points = p.execution.points;
      p.write(kWrite, x, std::uint64_t{1});
      p.read(kRead, x);
      p.add(kLockedUpdate, x, 1);
      points = p.execution.points - points;
    }});
  });
  EXPECT_EQ(points, 0u);
  EXPECT_TRUE(learned(p).empty());
}

TEST_F(AccessesTest, ASecondThreadMakesTheWordSharedAndItsAccessesPoints) {
  WatchedProgram p;
  std::uint64_t points = 0;
  p.run([&] {
    p.together({[&] { p.write(kWrite, x, std::uint64_t{1}); },
                [&] {
                  points = p.execution.points;
                  p.read(kRead, x);
                  p.read(kRead, y);  // the neighboring word is not shared
                  points = p.execution.points - points;
                }});
  });
  EXPECT_EQ(points, 1u);
}

TEST_F(AccessesTest, AllThatRacedAreLearnedOnce) {
  WatchedProgram p;
  p.run([&] {
    p.together({[&] {
                  p.write(kWrite, x, std::uint64_t{1});
                  p.read(kRead, x);
                },
                [&] {
                  p.read(kRead2, x);
                  p.read(kRead2, x);
                }});
  });
  EXPECT_EQ(learned(p), (std::vector{site_name(p, kWrite), site_name(p, kRead2)}));
  EXPECT_EQ(p.module().is_point[kWrite], PatchedModule::kLearned);
  EXPECT_EQ(p.module().is_point[kRead], PatchedModule::kNoPoint);  // of its own write
  EXPECT_EQ(p.module().is_point[kWrite2], PatchedModule::kNoPoint);
}

TEST_F(AccessesTest, ALearnedSiteStopsNoThreadBeforeTheNextRun) {
  WatchedProgram p;
  std::uint64_t points = 0;
  p.run([&] {
    p.together({[&] { p.write(kWrite, x, std::uint64_t{1}); },
                [&] {
                  p.read(kRead, x);
                  points = p.execution.points;
                  p.read(kRead, y);
                  points = p.execution.points - points;
                }});
  });
  EXPECT_EQ(points, 0u);
}

TEST_F(AccessesTest, ASiteOfThePointSetStopsEveryThreadThatIsNotAlone) {
  WatchedProgram p;
  std::uint64_t site = site_name(p, kRead).packed();
  p.accesses.points.use(&site, &site + 1);
  std::uint64_t alone = 0, together = 0;
  p.run([&] {
    p.read(kRead, x);
    alone = p.execution.points;
    p.together({[&] {
      together = p.execution.points;
      p.read(kRead, y);
      p.read(kRead2, y);
      together = p.execution.points - together;
    }});
  });
  EXPECT_EQ(alone, 0u);
  EXPECT_EQ(together, 1u);
}

TEST_F(AccessesTest, APlaceThatStopsThousandsOfTimesStopsNowAndThen) {
  constexpr std::uint64_t kAlways = 4096, kTimes = 4 * kAlways;
  WatchedProgram p;
  std::uint64_t sites[] = {site_name(p, kRead).packed(), site_name(p, kLockedUpdate).packed()};
  p.accesses.points.use(std::begin(sites), std::end(sites));
  std::uint64_t often = 0, locked = 0;
  p.run([&] {
    p.together({[&] {
      often = p.execution.points;
      for (std::uint64_t i = 0; i < kTimes; ++i) {
        p.read(kRead, memory[i % 128]);
      }
      often = p.execution.points - often;
      locked = p.execution.points;
      for (std::uint64_t i = 0; i < kTimes; ++i) {
        p.add(kLockedUpdate, x, 1);
      }
      locked = p.execution.points - locked;
    }});
  });
  EXPECT_GT(often, kAlways + kAlways / 64);
  EXPECT_LT(often, kAlways + kAlways / 8);
  EXPECT_EQ(locked, kTimes);
}

TEST_F(AccessesTest, EveryAccessIsAPointIfTheScheduleSaysSo) {
  WatchedProgram p(SchedulerKind::kSteady, 0, true);
  std::uint64_t points = 0;
  p.run([&] {
    p.together({[&] {
      points = p.execution.points;
      p.read(kRead, x);
      p.write(kWrite, y, std::uint64_t{1});
      points = p.execution.points - points;
    }});
  });
  EXPECT_EQ(points, 2u);
}

TEST_F(AccessesTest, ALongStretchWithoutAPointIsCutOnce) {
  WatchedProgram p;
  std::uint64_t points = 0;
  p.run([&] {
    p.together({[&] {
      points = p.execution.points;
      for (std::uint64_t i = 0; i < ThreadMemory::kLongestStretch + 100; ++i) {
        p.read(kRead, x);
      }
      points = p.execution.points - points;
    }});
  });
  EXPECT_EQ(points, 1u);
}

// Returns whether a thread that repeats `body` for more than two long stretches counts as spinning.
template <typename Body>
bool spins_in(Body body) {
  WatchedProgram p;
  bool spinning = false;
  p.run([&] {
    p.together({[&] {
      for (std::uint64_t i = 0; i < 2 * ThreadMemory::kLongestStretch + 100; ++i) {
        body(p, i);
      }
      spinning = p.current().spin.spinning;
    }});
  });
  return spinning;
}

TEST_F(AccessesTest, LongStretchesThatChangeNothingAreNoWork) {
  EXPECT_TRUE(spins_in([](WatchedProgram& p, std::uint64_t) { p.read(kRead, x); }));
  EXPECT_FALSE(spins_in([](WatchedProgram& p, std::uint64_t i) { p.write(kWrite, x, i); }));
}

// Returns the sums that two threads adding 1 leave, over many schedules.
std::set<std::uint64_t> sums(Site site) {
  std::set<std::uint64_t> all;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    WatchedProgram p(SchedulerKind::kRandom, seed);
    p.module().is_point[site] = PatchedModule::kPoint;  // as after a run in which it raced
    p.run([&] {
      p.write(kWrite, x, std::uint64_t{0});
      auto add = [&] { p.add(site, x, 1); };
      p.together({add, add});
    });
    all.insert(x);
  }
  return all;
}

TEST_F(AccessesTest, AnUpdateWithoutALockCanLoseAnother) {
  EXPECT_EQ(sums(kUpdate), (std::set<std::uint64_t>{1, 2}));
}

TEST_F(AccessesTest, ALockedUpdateIsOneStep) {
  EXPECT_EQ(sums(kLockedUpdate), (std::set<std::uint64_t>{2}));
}

TEST_F(AccessesTest, ACompareExchangeThatFailsIsARead) {
  WatchedProgram p;
  std::uint64_t before = 0, after = 0;
  p.run([&] {
    p.together({[&] { p.write(kWrite, x, std::uint64_t{5}); },
                [&] {
                  before = p.accesses.last_writer(kX);
                  EXPECT_FALSE(p.compare_exchange(x, 4, 9));
                  p.read(kRead, y);
                  after = p.accesses.last_writer(kX);
                }});
  });
  EXPECT_EQ(after, before);
  EXPECT_EQ(after, p.name(kWrite, &x, OpKind::kWrite).id());
  auto reads_x = [&](ReadsFromPair pair) {
    const AbstractEvent& read = p.events.event(pair.read);
    return read.site == site_name(p, kExchange) && read.op == OpKind::kRead &&
           p.events.id(pair.write) == before;
  };
  EXPECT_EQ(std::count_if(p.events.pairs().begin(), p.events.pairs().end(), reads_x), 1);
}

TEST_F(AccessesTest, ACompareExchangeOfAPrivateWordThatFailsIsAReadToo) {
  WatchedProgram p;
  p.run([&] {
    p.write(kWrite, x, std::uint64_t{5});
    p.compare_exchange(x, 4, 9);
    EXPECT_EQ(p.accesses.last_writer(kX), p.name(kWrite, &x, OpKind::kWrite).id());
    p.compare_exchange(x, 5, 9);
    EXPECT_EQ(p.accesses.last_writer(kX), p.name(kExchange, &x, OpKind::kWrite).id());
  });
}

TEST_F(AccessesTest, ACompareExchangeThatSucceedsIsWhatOthersReadFrom) {
  WatchedProgram p;
  p.run([&] {
    p.together({[&] { p.write(kWrite, x, std::uint64_t{5}); },
                [&] { EXPECT_TRUE(p.compare_exchange(x, 5, 9)); }});
    EXPECT_EQ(p.accesses.last_writer(kX), p.name(kExchange, &x, OpKind::kWrite).id());
  });
  EXPECT_EQ(x, 9u);
}

TEST_F(AccessesTest, TheLastWriterOfMemoryThatWasOnlyReadIsItsInitialValue) {
  WatchedProgram p;
  p.run([&] { p.read(kRead, x); });
  EXPECT_EQ(p.accesses.last_writer(kX), p.events.describe_init(kX).id());
}

TEST_F(AccessesTest, TheLastWriterIsKnownForEveryByte) {
  WatchedProgram p;
  auto& upper = reinterpret_cast<std::uint32_t*>(memory)[1];
  p.run([&] {
    p.write(kWrite, x, std::uint64_t{1});
    p.write(kWrite4Bytes, upper, 2u);
  });
  EXPECT_EQ(p.accesses.last_writer(kX), p.name(kWrite, &x, OpKind::kWrite).id());
  EXPECT_EQ(p.accesses.last_writer(kX + 4), p.name(kWrite4Bytes, &upper, OpKind::kWrite).id());
}

}  // namespace
}  // namespace rff
