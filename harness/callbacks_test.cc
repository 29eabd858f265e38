// Code that reports its accesses by the compiler's callbacks: threads are interrupted between them.
#include <gtest/gtest.h>

#include <cstring>
#include <set>

#include "harness/reporting_code.h"
#include "rff/harness.h"

namespace {

// Returns the results of the program under many seeds.
std::set<int> results(int (*program)(), const char* scheduler) {
  static int result;
  static int (*current)();
  current = program;
  std::set<int> all;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    rff_schedule s = rff_schedule_from_seed(seed, scheduler);
    auto body = [](void*) {
      result = current();
      return 0;
    };
    EXPECT_EQ(rff_run(&s, body, nullptr), 0);
    all.insert(result);
  }
  return all;
}

TEST(Callbacks, EveryResultOfSmallProgramsIsReachedAndNoOther) {
  for (const char* scheduler : {"random", "pos"}) {
    EXPECT_EQ(results(lost_update, scheduler), (std::set<int>{1, 2})) << scheduler;
    EXPECT_EQ(results(atomic_update, scheduler), (std::set<int>{2})) << scheduler;
    EXPECT_EQ(results(store_buffering, scheduler), (std::set<int>{1, 2, 3})) << scheduler;
    EXPECT_EQ(results(message_passing, scheduler), (std::set<int>{-1, 42})) << scheduler;
  }
  EXPECT_STREQ(rff_memory_events(), "compiler callbacks");
}

TEST(Callbacks, ReadsFromPairsAreFeaturesAndTellRunsApart) {
  std::set<std::uint64_t> combinations;
  std::set<std::set<std::uint16_t>> features;
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    rff_schedule s = rff_schedule_from_seed(seed, "random");
    rff_run(
        &s, [](void*) { return store_buffering() == 0 ? 1 : 0; }, nullptr);
    const rff_facts& run = *rff_last_run();
    combinations.insert(run.reads_from);
    features.insert({run.features, run.features + run.feature_count});
  }
  EXPECT_GE(combinations.size(), 3u);
  EXPECT_GE(features.size(), 3u);
}

TEST(State, ThatAVariableKeepsIsNamed) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  auto twice = [](int (*body)(void*)) {
    setenv("RFF_CHECK_STATE", "1", 1);
    rff_schedule s = rff_schedule_from_seed(1, "random");
    rff_run(&s, body, nullptr);
    std::exit(0);
  };
  EXPECT_EXIT(twice([](void*) { return lost_update(); }), testing::ExitedWithCode(0), "");
  EXPECT_DEATH(twice([](void*) { return count_calls(); }),
               "rff: state: `kept_calls` was 1 in the second run and 0 in the first");
}

}  // namespace
