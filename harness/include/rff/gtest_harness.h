// RFF_TEST: a test of GoogleTest whose body runs under many schedules.
//
//   RFF_TEST(Queue, PushAndPop) { … threads … EXPECT_EQ(…); }
//
// 1,000 schedules, or what --rff_runs, --rff_seconds, --rff_scheduler, --rff_seed and the variables
// RFF_RUNS, … say. The test fails with the first run that fails, and says how to repeat that one.
#pragma once

#include <gtest/gtest.h>
#include <rff/explore.h>

namespace rff {

inline void run_test(void (*body)()) {
  ExploreOptions options = detail::given_options({});
  options.failed = [] { return ::testing::Test::HasFailure(); };
  Exploration e = explore(body, options);
  if (e.failed) {
    const ::testing::TestInfo& test = *::testing::UnitTest::GetInstance()->current_test_info();
    ADD_FAILURE() << e.report << "  or: --gtest_filter=" << test.test_suite_name() << "."
                  << test.name() << " --rff_replay=" << e.replay;
  } else {
    ::testing::Test::RecordProperty("rff_runs", std::to_string(e.runs));
  }
}

}  // namespace rff

#define RFF_TEST(suite, name)                                          \
  static void rff_body_of_##suite##_##name();                          \
  TEST(suite, name) { ::rff::run_test(rff_body_of_##suite##_##name); } \
  static void rff_body_of_##suite##_##name()
