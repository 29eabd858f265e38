// Runs compares.c with and without branches, and looks at what the runs report.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <set>

#include "fuzzer/core/comparisons.h"
#include "tests/support/server.h"

namespace rff::test {
namespace {

const std::string kWith = std::string(RFF_PROGRAMS) + "/compares_with_branches.patched";
const std::string kWithout = std::string(RFF_PROGRAMS) + "/compares.patched";

Schedule some_schedule(std::uint64_t seed) {
  Schedule s;
  s.scheduler = SchedulerKind::kRandom;
  s.seed = seed;
  return s;
}

// All that a run reports about its branches, as bytes.
std::string report(const RunRecord& run) {
  std::string all(reinterpret_cast<const char*>(run.edges), sizeof run.edges);
  for (const ComparedValues& v : run.compared_values) {
    all.append(reinterpret_cast<const char*>(&v), sizeof v);
  }
  for (const ComparedBytes& b : run.compared_bytes) {
    all.append(reinterpret_cast<const char*>(&b), sizeof b);
  }
  return all + std::to_string(run.compared_values.overflowed.load());
}

bool has_values(const std::vector<ComparedOperands>& all, std::uint64_t first, std::uint64_t second,
                unsigned width) {
  return std::any_of(all.begin(), all.end(), [&](const ComparedOperands& c) {
    return c.width == width && c.first == first && c.second == second;
  });
}

TEST(Branches, ValuesAndByteStringsAreReportedAsTheProgramComparesThem) {
  Server server({kWith});
  RunResult result = server.run(some_schedule(1));
  std::vector<ComparedOperands> all = read_comparisons(result.run());
  EXPECT_TRUE(has_values(all, 0, 7654321, 4));
  EXPECT_TRUE(has_values(all, 0x1122334455667788, 0x0102030405060708, 8) ||
              has_values(all, 0x0102030405060708, 0x1122334455667788, 8));
  std::set<std::string> wanted;
  for (const ComparedOperands& c : all) {
    if (!c.has_values()) {
      EXPECT_EQ(c.first_bytes, std::string("some text").substr(0, c.first_bytes.size()));
      wanted.insert(c.second_bytes);
    }
  }
  EXPECT_EQ(wanted, (std::set<std::string>{"strcmp", "strnc", "strcasecmp", "memcmp12", "bcmp",
                                           "memmem", "another"}));
}

TEST(Branches, TheSameScheduleReportsTheSame) {
  Server server({kWith});
  server.shared().cache_disabled.store(1);
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    std::string once = report(server.run(some_schedule(seed)).run());
    std::string twice = report(server.run(some_schedule(seed)).run());
    EXPECT_TRUE(once == twice) << "seed " << seed;
  }
}

TEST(Branches, WhatDoesNotFitIsCounted) {
  Server server({kWith});
  RunResult result = server.run(some_schedule(1));
  EXPECT_GT(result.run().compared_values.overflowed.load(), 0u) << "500 in one loop";
}

TEST(Branches, ControlFlowHasTheUpperHalfOfTheMapAndPairsTheLower) {
  Server server({kWith});
  RunResult result = server.run(some_schedule(1));
  const unsigned char* map = server.map();
  const RunRecord& run = result.run();
  EXPECT_GT(run.map_places.size(), 0u);
  for (std::uint16_t place : run.map_places) {
    ASSERT_LT(place, kMapHalf);
  }
  for (std::uint32_t i = 0; i < kMapHalf; ++i) {
    ASSERT_EQ(map[kMapHalf + i] != 0, run.edges[i] != 0);
  }
  EXPECT_TRUE(std::any_of(map + kMapHalf, map + 2 * kMapHalf, [](auto n) { return n >= 32; }))
      << "a loop of 500 rounds";
}

TEST(Branches, WithoutThemARunIsAsBefore) {
  Server with({kWith});
  Server without({kWithout});
  RunResult plain = without.run(some_schedule(3));
  EXPECT_EQ(plain.run().has_branches, 0u);
  EXPECT_EQ(plain.run().compared_values.size() + plain.run().compared_bytes.size(), 0u);
  RunResult hooked = with.run(some_schedule(3));
  EXPECT_EQ(hooked.run().events, plain.run().events) << "hooks of branches are no events";
  EXPECT_EQ(hooked.run().scheduling_points, plain.run().scheduling_points);
  EXPECT_EQ(hooked.run().switches, plain.run().switches);
}

}  // namespace
}  // namespace rff::test
