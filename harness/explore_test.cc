// Many runs of one body: rff/explore.h and RFF_TEST.
#include "rff/explore.h"

#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>

#include <atomic>
#include <mutex>
#include <set>
#include <stdexcept>
#include <thread>

#include "harness/bodies_for_tests.h"
#include "rff/gtest_harness.h"

namespace {

// Two threads read, then write; an update is lost if both read first.
int balance;
void deposit_twice() {
  std::mutex lock;
  balance = 0;
  auto deposit = [&lock] {
    lock.lock();
    int before = balance;
    lock.unlock();
    lock.lock();
    balance = before + 1;
    lock.unlock();
  };
  std::thread first(deposit);
  std::thread second(deposit);
  first.join();
  second.join();
}

void take_locks_in_both_orders() {
  std::mutex a;
  std::mutex b;
  std::thread first([&] {
    std::scoped_lock<std::mutex> one(a);
    std::scoped_lock<std::mutex> two(b);
  });
  std::thread second([&] {
    std::scoped_lock<std::mutex> one(b);
    std::scoped_lock<std::mutex> two(a);
  });
  first.join();
  second.join();
}

TEST(Explore, FindsAFailureAndRepeatsIt) {
  rff::ExploreOptions options;
  options.failed = [] { return balance != 2; };
  rff::Exploration e = rff::explore(deposit_twice, options);
  ASSERT_TRUE(e.failed);
  EXPECT_EQ(e.kind, "check");
  EXPECT_LT(e.runs, 100u);
  EXPECT_NE(e.report.find("RFF_REPLAY=" + e.replay), std::string::npos);
  options.replay = e.replay;
  for (int i = 0; i < 20; ++i) {
    rff::Exploration again = rff::explore(deposit_twice, options);
    EXPECT_TRUE(again.failed);
    EXPECT_EQ(again.runs, 1u);
  }
}

TEST(Explore, RunsAsOftenAsAskedIfNothingFails) {
  rff::Exploration e = rff::explore(deposit_twice, {.runs = 37});
  EXPECT_FALSE(e.failed);
  EXPECT_EQ(e.runs, 37u);
}

TEST(Explore, TakesAnExceptionForAFailure) {
  rff::Exploration e = rff::explore([] { throw std::runtime_error("no room"); });
  EXPECT_EQ(e.kind, "exception");
  EXPECT_NE(e.report.find("no room"), std::string::npos);
}

TEST(Explore, ADeadlockIsReportedAndTheNextExplorationIsNotDisturbed) {
  NEEDS_ABANDONED_RUNS();
  for (bool isolate : {false, true}) {
    rff::Exploration e = rff::explore(take_locks_in_both_orders, {.isolate = isolate});
    EXPECT_EQ(e.kind, "deadlock");
    EXPECT_FALSE(rff::explore(deposit_twice, {.runs = 5}).failed);
  }
}

TEST(Explore, AChildThatDiesIsAFailure) {
  rff::Exploration e = rff::explore([] { _exit(3); }, {.isolate = true});
  EXPECT_EQ(e.kind, "crash");
  EXPECT_NE(e.report.find("status"), std::string::npos);
}

RFF_TEST(Macro, RunsItsBodyUnderManySchedules) {
  static std::set<int> results;
  static int runs = 0;
  deposit_twice();
  results.insert(balance);
  EXPECT_TRUE(balance == 1 || balance == 2);
  if (++runs == 1000) {
    EXPECT_EQ(results.size(), 2u);
  }
}

TEST(Macro, FailsWithTheFirstRunThatFails) {
  NEEDS_ABANDONED_RUNS();
  testing::TestPartResultArray failures;
  {
    testing::ScopedFakeTestPartResultReporter reporter(
        testing::ScopedFakeTestPartResultReporter::INTERCEPT_ONLY_CURRENT_THREAD, &failures);
    rff::run_test(take_locks_in_both_orders);
  }
  ASSERT_EQ(failures.size(), 1);
  std::string message = failures.GetTestPartResult(0).message();
  EXPECT_NE(message.find("rff: deadlock"), std::string::npos) << message;
  EXPECT_NE(message.find("--gtest_filter=Macro.FailsWithTheFirstRunThatFails --rff_replay=UkZG"),
            std::string::npos)
      << message;
}

}  // namespace
