// Runs inside this process: rff/harness.h.
#include <gtest/gtest.h>
#include <malloc.h>
#include <pthread.h>
#include <sched.h>
#include <unistd.h>

#include <condition_variable>
#include <cstdio>
#include <fstream>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "harness/bodies_for_tests.h"

namespace {

// Everything that a run tells of itself.
struct Told {
  std::uint64_t events, decisions, switches, threads, reads_from;
  std::vector<std::uint16_t> features;
  bool operator==(const Told&) const = default;
};

Told told() {
  const rff_facts& f = *rff_last_run();
  return {f.events,  f.decisions,  f.switches,
          f.threads, f.reads_from, {f.features, f.features + f.feature_count}};
}

rff_schedule bytes(const std::vector<std::uint8_t>& all, int end = RFF_END_FIRST) {
  const std::uint8_t* data = all.data();
  std::size_t size = all.size();
  rff_schedule s = rff_schedule_from_bytes(&data, &size, RFF_ALL);
  s.end = end;
  return s;
}

TEST(Run, ReturnsWhatTheBodyReturns) {
  auto body = [](void* argument) { return *static_cast<int*>(argument) + 1; };
  int given = 41;
  EXPECT_EQ(run(rff_schedule_from_seed(1, nullptr), body, &given), 42);
  EXPECT_EQ(rff_last_run()->threads, 1u);
  EXPECT_EQ(rff_last_run()->decisions, 0u);
}

TEST(Run, TellsInWhichRoundATurnEnded) {
  auto two_loops = [](void*) {
    auto loop = [] {
      for (int i = 0; i < 20; ++i) {
        sched_yield();
      }
    };
    std::thread first(loop);
    std::thread second(loop);
    first.join();
    second.join();
    return 0;
  };
  std::set<std::vector<std::uint16_t>> seen;
  for (std::size_t preempted = 8; preempted < 15; ++preempted) {
    std::vector<std::uint8_t> stream(preempted, 0);
    stream.push_back(1);
    run(bytes(stream, RFF_END_STAY), two_loops);
    std::size_t count = 0;
    const std::uint16_t* turns = rff_turns(&count);
    seen.insert(std::vector(turns, turns + count));
  }
  EXPECT_EQ(seen.size(), 7u);
}

TEST(Run, IsAFunctionOfItsSchedule) {
  std::map<std::uint64_t, std::pair<std::string, Told>> first;
  for (int round = 0; round < 3; ++round) {
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
      std::uint64_t shuffled = (seed * 7 + static_cast<std::uint64_t>(round) * 3) % 40;
      run(rff_schedule_from_seed(shuffled, "random"), append_digits);
      auto [known, is_new] = first.emplace(shuffled, std::pair(order, told()));
      EXPECT_EQ(known->second, std::pair(order, told())) << shuffled << " in round " << round;
    }
  }
  std::set<std::string> orders;
  for (const auto& [seed, what] : first) {
    orders.insert(what.first);
  }
  EXPECT_GE(orders.size(), 10u);
}

TEST(Run, TakesDecisionsFromBytesUntilTheyEnd) {
  std::vector<std::uint8_t> none;
  run(bytes(none, RFF_END_FIRST), append_digits);
  Told without = told();
  std::set<std::string> orders;
  for (int i = 0; i < 64; ++i) {
    std::vector<std::uint8_t> some;
    for (int bit = 0; bit < 6; ++bit) {
      some.push_back(static_cast<std::uint8_t>(i >> bit & 1));
    }
    for (int meaning : {RFF_BYTES_STAY, RFF_BYTES_INDEX}) {
      rff_schedule s = bytes(some);
      s.bytes_mean = meaning;
      run(s, append_digits);
      std::string once = order;
      Told what = told();
      orders.insert(once);
      run(s, append_digits);
      EXPECT_EQ(order, once);
      EXPECT_EQ(told(), what);
    }
  }
  EXPECT_GE(orders.size(), 8u);
  // No thread is preempted by zeros that mean "stay".
  std::vector<std::uint8_t> zeros(64, 0);
  run(bytes(zeros, RFF_END_STAY), append_digits);
  EXPECT_TRUE(order == "111222" || order == "222111") << order;
}

TEST(Run, IsRejectedWhereItsBytesEndIfAsked) {
  NEEDS_ABANDONED_RUNS();
  std::vector<std::uint8_t> few = {0};
  EXPECT_EQ(run(bytes(few, RFF_END_STOP), append_digits), RFF_REJECTED);
  new (&order_lock) std::mutex;  // a thread of the abandoned run may hold it
  std::vector<std::uint8_t> many(200, 0);
  EXPECT_EQ(run(bytes(many, RFF_END_STOP), append_digits), 0);
}

TEST(Schedule, TakesItsPartOfAnInput) {
  const std::uint8_t input[] = {2, 0, 10, 11, 12, 13, 14};
  auto taken = [&](int part, std::vector<int>* rest) {
    const std::uint8_t* data = input;
    std::size_t size = sizeof input;
    rff_schedule s = rff_schedule_from_bytes(&data, &size, part);
    rest->assign(data, data + size);
    return std::vector<int>(s.bytes, s.bytes + s.size);
  };
  std::vector<int> rest;
  EXPECT_EQ(taken(RFF_ALL, &rest), (std::vector<int>{2, 0, 10, 11, 12, 13, 14}));
  EXPECT_TRUE(rest.empty());
  EXPECT_EQ(taken(RFF_TAIL, &rest), (std::vector<int>{11, 12, 13, 14}));
  EXPECT_EQ(rest, (std::vector<int>{2, 0, 10}));
  EXPECT_EQ(taken(RFF_SPLIT, &rest), (std::vector<int>{13, 14}));
  EXPECT_EQ(rest, (std::vector<int>{10, 11, 12}));
  const std::uint8_t* empty = nullptr;
  std::size_t size = 0;
  rff_schedule s = rff_schedule_from_bytes(&empty, &size, RFF_SPLIT);
  EXPECT_EQ(run(s, append_digits), 0);
}

TEST(Run, IsRepeatedByItsTextAndByItsFile) {
  std::vector<std::uint8_t> some = {1, 0, 1, 1, 0, 1};
  for (const rff_schedule& s : {rff_schedule_from_seed(5, "pct:depth=2"), bytes(some)}) {
    run(s, append_digits);
    std::string once = order;
    Told what = told();
    std::string text = rff_last_text();
    std::string path = testing::TempDir() + "/run-" + std::to_string(getpid()) + ".bin";
    ASSERT_EQ(rff_save(path.c_str()), 0);
    run(rff_schedule_from_seed(99, "random"), append_digits);
    run(rff_schedule_from_text(text.c_str()), append_digits);
    EXPECT_EQ(order, once);
    EXPECT_EQ(told(), what);
    run(rff_schedule_from_file(path.c_str()), append_digits);
    EXPECT_EQ(order, once);
    EXPECT_EQ(told(), what);
    std::remove(path.c_str());
  }
  EXPECT_EQ(rff_save("/nowhere/run.bin"), -1);
  EXPECT_EQ(errno, ENOENT);
}

// Each run begins as the first one: nothing of the runtime is left.
TEST(Runs, LeaveNothingBehind) {
  auto body = [](void*) {
    static pthread_once_t once;
    static pthread_key_t key;
    static int destroyed;
    once = PTHREAD_ONCE_INIT;
    destroyed = 0;
    pthread_once(&once, [] { pthread_key_create(&key, [](void*) { ++destroyed; }); });
    timespec begin = {};
    clock_gettime(CLOCK_MONOTONIC, &begin);
    std::thread t([] {
      pthread_setspecific(key, &destroyed);
      thread_local std::string own = "thread";
      own += "s";
      usleep(1000);  // virtual time passes, and nobody sleeps
    });
    t.join();
    timespec end = {};
    clock_gettime(CLOCK_MONOTONIC, &end);
    pthread_key_delete(key);
    long passed = (end.tv_sec - begin.tv_sec) * 1'000'000'000 + end.tv_nsec - begin.tv_nsec;
    return destroyed == 1 && passed >= 1'000'000 && begin.tv_nsec + begin.tv_sec >= 0 ? 0 : 1;
  };
  std::set<std::uint64_t> all;
  for (int i = 0; i < 200; ++i) {
    ASSERT_EQ(run(rff_schedule_from_seed(7, "random"), body), 0);
    all.insert(rff_last_run()->reads_from);
  }
  EXPECT_EQ(all.size(), 1u);
}

// What the program has allocated, and the number of its mappings.
std::pair<std::size_t, std::size_t> memory_in_use() {
  std::ifstream file("/proc/self/maps");
  std::size_t mappings = 0;
  for (std::string line; std::getline(file, line);) {
    ++mappings;
  }
  return {mallinfo2().uordblks, mappings};
}

TEST(Runs, DoNotGrow) {
  auto body = [](void* count) {
    std::vector<std::thread> threads;
    for (int i = 0; i < *static_cast<int*>(count); ++i) {
      threads.emplace_back([] { sched_yield(); });
    }
    for (std::thread& t : threads) {
      t.join();
    }
    return 0;
  };
  std::pair<std::size_t, std::size_t> before;
  for (int i = 0; i < 600; ++i) {
    int threads = 1 + i % 20;
    run(rff_schedule_from_seed(static_cast<std::uint64_t>(i), "random"), body, &threads);
    if (i == 200) {
      before = memory_in_use();
    }
  }
  EXPECT_LE(memory_in_use().first, before.first + 4096);
  EXPECT_EQ(memory_in_use().second, before.second);
  int many = 180;  // more than stacks are prepared for
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(run(rff_schedule_from_seed(1, "random"), body, &many), 0);
  }
}

TEST(Runs, LeaveOtherThreadsAlone) {
  static std::mutex lock;
  static std::condition_variable changed;
  static bool asked = false;
  static bool answered = false;
  std::thread other([] {
    std::unique_lock<std::mutex> guard(lock);
    changed.wait(guard, [] { return asked; });
    answered = true;
    changed.notify_all();
  });
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    EXPECT_EQ(run(rff_schedule_from_seed(seed, "random"), append_digits), 0);
  }
  {
    std::unique_lock<std::mutex> guard(lock);
    asked = true;
    changed.notify_all();
    changed.wait(guard, [] { return answered; });
  }
  other.join();
}

}  // namespace
