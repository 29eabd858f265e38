// Runs that fail, threads that are left, and wrong uses of rff/harness.h.
#include <gtest/gtest.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <unistd.h>
#undef NDEBUG
#include <cassert>
#include <cstdlib>
#include <string>
#include <thread>

#include "harness/bodies_for_tests.h"

namespace {

// What findings are reported as; the run is abandoned.
struct Found {
  std::string kind, report;
};
Found found_by(int (*body)(void*), rff_schedule schedule) {
  static Found found;
  found = {};
  rff_on_finding(
      [](const rff_facts* facts, void*) {
        found = {facts->kind, facts->report};
        rff_abandon();
      },
      nullptr);
  int result = rff_run(&schedule, body, nullptr);
  rff_on_finding(nullptr, nullptr);
  EXPECT_EQ(result, found.kind.empty() ? 0 : RFF_FAILED);
  return found;
}

pthread_mutex_t one, two;
int take_both(void*) {
  pthread_mutex_init(&one, nullptr);
  pthread_mutex_init(&two, nullptr);
  auto take = [](pthread_mutex_t* a, pthread_mutex_t* b) {
    pthread_mutex_lock(a);
    pthread_mutex_lock(b);
    pthread_mutex_unlock(b);
    pthread_mutex_unlock(a);
  };
  std::thread first(take, &one, &two);
  std::thread second(take, &two, &one);
  first.join();
  second.join();
  return 0;
}

TEST(Finding, OfADeadlockNamesTheThreadsAndTheProcessGoesOn) {
  NEEDS_ABANDONED_RUNS();
  int found = 0;
  std::string text;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    Found f = found_by(take_both, rff_schedule_from_seed(seed, "random"));
    if (!f.kind.empty()) {
      EXPECT_EQ(f.kind, "deadlock");
      EXPECT_NE(f.report.find("main.1 waits for a mutex"), std::string::npos) << f.report;
      EXPECT_NE(f.report.find("held by main.2"), std::string::npos) << f.report;
      EXPECT_NE(f.report.find("RFF_REPLAY="), std::string::npos) << f.report;
      EXPECT_NE(f.report.find("take_both"), std::string::npos) << f.report;
      EXPECT_EQ(f.report.find("found_by"), std::string::npos) << "it called rff_run: " << f.report;
      text = f.report.substr(f.report.find("RFF_REPLAY=") + 11);
      ++found;
    }
  }
  EXPECT_GE(found, 10);
  EXPECT_LE(found, 90);
  for (int i = 0; i < 20; ++i) {
    EXPECT_EQ(found_by(take_both, rff_schedule_from_text(text.c_str())).kind, "deadlock");
  }
  EXPECT_EQ(run(rff_schedule_from_seed(1, "random"), append_digits), 0);
}

sem_t nobody_posts;
int wait_for_ever(void*) {
  sem_init(&nobody_posts, 0, 0);
  std::thread waits([] { sem_wait(&nobody_posts); });
  std::thread ends([] {});
  waits.join();
  ends.join();
  return 0;
}

TEST(Finding, MayComeWhenAThreadEnds) {
  NEEDS_ABANDONED_RUNS();
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    EXPECT_EQ(found_by(wait_for_ever, rff_schedule_from_seed(seed, "random")).kind, "deadlock");
  }
}

TEST(Finding, OfOtherKindsIsReportedToo) {
  NEEDS_ABANDONED_RUNS();
  rff_schedule s = rff_schedule_from_seed(1, nullptr);
  EXPECT_EQ(found_by(
                [](void*) {
                  std::abort();
                  return 0;
                },
                s)
                .kind,
            "crash");
  EXPECT_EQ(found_by(
                [](void*) {
                  *static_cast<volatile int*>(nullptr) = 1;
                  return 0;
                },
                s)
                .kind,
            "crash");
  Found f = found_by(
      [](void*) {
        assert(!"two is three");
        return 0;
      },
      s);
  EXPECT_EQ(f.kind, "assert");
  EXPECT_NE(f.report.find("two is three"), std::string::npos);
  auto in_thread = [](void*) {
    std::thread([] { *reinterpret_cast<volatile int*>(8) = 1; }).join();
    return 0;
  };
  EXPECT_EQ(found_by(in_thread, s).kind, "crash");
  auto never_posted = [](void*) {
    sem_t never;
    sem_init(&never, 0, 0);
    sem_wait(&never);
    return 0;
  };
  EXPECT_EQ(found_by(never_posted, s).kind, "deadlock");
  auto exits = [](void*) {
    pthread_exit(nullptr);
    return 0;
  };
  EXPECT_NE(found_by(exits, s).report.find("the body called pthread_exit"), std::string::npos);
}

TEST(Finding, OfAScheduleThatBelongsToAnotherBody) {
  std::string path = testing::TempDir() + "/other-" + std::to_string(getpid()) + ".bin";
  run(rff_schedule_from_seed(3, "random"), append_digits);
  ASSERT_EQ(rff_save(path.c_str()), 0);
  Found f = found_by(take_both, rff_schedule_from_file(path.c_str()));
  EXPECT_EQ(f.kind, "diverged");
  EXPECT_NE(f.report.find("could not be followed"), std::string::npos) << f.report;
  std::remove(path.c_str());
}

TEST(Finding, AbortsUnlessThereIsACallback) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(
      {
        for (std::uint64_t seed = 0; seed < 100; ++seed) {
          run(rff_schedule_from_seed(seed, "random"), take_both);
        }
      },
      "rff: deadlock at .*(\n.*)*replay: RFF_REPLAY=UkZGU0NI");
}

int leave_a_thread(void* counter) {
  std::thread([counter] {
    sched_yield();
    sched_yield();
    ++*static_cast<int*>(counter);
  }).detach();
  return 0;
}

// With kernel threads, too.
TEST(Finding, ThatCannotBeAbandonedEndsTheProcessWithItsReport) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  auto explore = [] {
    setenv("RFF_CARRIER", "thread", 1);
    for (std::uint64_t seed = 0; seed < 100; ++seed) {
      found_by(take_both, rff_schedule_from_seed(seed, "random"));
    }
  };
  EXPECT_DEATH(explore(), "rff: deadlock at .*(\n.*)*replay: RFF_REPLAY=UkZGU0NI");
}

TEST(Threads, ThatAreLeftRunToTheirEndOrFailOrAreAbandoned) {
  NEEDS_ABANDONED_RUNS();
  static int counter;
  rff_schedule s = rff_schedule_from_seed(3, "random");
  run(s, leave_a_thread, &counter);
  EXPECT_EQ(counter, 1);
  s.left = RFF_LEFT_FAIL;
  Found f = found_by([](void*) { return leave_a_thread(&counter); }, s);
  EXPECT_EQ(f.kind, "assert");
  EXPECT_NE(f.report.find("threads had not ended: main.1"), std::string::npos) << f.report;
  s.left = RFF_LEFT_ABANDON;
  s.scheduler = "delay:bound=0";  // main goes on until its end
  counter = 0;
  run(s, leave_a_thread, &counter);
  EXPECT_EQ(counter, 0);
  run(s, leave_a_thread, &counter);
  EXPECT_EQ(rff_last_run()->threads, 2u);
}

TEST(Wrong, UsesAreAnsweredInOneLine) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  auto status = testing::ExitedWithCode(2);
  EXPECT_EXIT(run(rff_schedule_from_seed(1, "rff"), append_digits), status,
              "rff: a seed needs one of the schedulers .*, not rff");
  EXPECT_EXIT(run(rff_schedule_from_seed(1, "pct:depth=x"), append_digits), status,
              "rff: this is no parameter of the scheduler: depth=x");
  EXPECT_EXIT(run(rff_schedule_from_text("hello"), append_digits), status,
              "rff: this is no schedule: give the whole line");
  EXPECT_EXIT(rff_schedule_from_file("/nowhere"), status,
              "rff: this schedule cannot be read: /nowhere");
  EXPECT_EXIT(run(rff_schedule_from_seed(1, nullptr),
                  [](void*) { return run(rff_schedule_from_seed(1, nullptr), append_digits); }),
              status, "rff: rff_run was called while a run goes on");
}

}  // namespace
