// Schedulers that count events: all interleavings are equally likely where that is promised, and
// delays reach what their definition says.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <set>

#include "libsched/engine/schedulers/interleave.h"

namespace rff {
namespace {

using Program = std::vector<std::vector<Operation>>;

Operation x(std::uint32_t site) { return make_operation(OpKind::kWrite, kX, site); }
Operation y(std::uint32_t site) { return make_operation(OpKind::kWrite, kY, site); }

// Returns the estimates of a correct profile. A thread counts for the threads that it creates.
Estimates estimates_of(const Program& program, std::uint64_t key,
                       const EventSelection& selection = {}) {
  std::function<std::uint64_t(std::size_t)> count = [&](std::size_t thread) {
    std::uint64_t n = 0;
    for (const Operation& op : program[thread]) {
      n += key == 0 || selection_key(op.event, selection) == key ? 1 : 0;
      n += op.op == OpKind::kThreadCreate ? count(op.size) : 0;
    }
    return n;
  };
  Estimates e = {key, {}, selection};
  for (std::size_t i = 0; i < program.size(); ++i) {
    e.threads.push_back({hash_bytes(std::to_string(i)), count(i)});
  }
  std::sort(e.threads.begin(), e.threads.end());
  return e;
}

// Runs the program often, and returns how often each order came; of the sites in `seen` only.
std::map<std::string, int> orders(const Schedule& schedule, const Program& program, int runs,
                                  const std::string& seen) {
  std::map<std::string, int> counts;
  for (int i = 0; i < runs; ++i) {
    Schedule s = schedule;
    s.seed = mix64(static_cast<std::uint64_t>(i) + 777);
    Memory memory;
    auto scheduler = make_scheduler(s, memory);
    std::string order;
    for (char site : interleave(*scheduler, memory, program)) {
      if (seen.find(site) != std::string::npos) {
        order += site;
      }
    }
    ++counts[order];
  }
  return counts;
}

// Five standard deviations of the chi-squared statistic above its mean.
void expect_uniform(const std::map<std::string, int>& counts, std::size_t possible, int runs) {
  ASSERT_EQ(counts.size(), possible);
  double expected = static_cast<double>(runs) / static_cast<double>(possible);
  double chi = 0;
  for (const auto& [order, n] : counts) {
    chi += (n - expected) * (n - expected) / expected;
  }
  auto freedom = static_cast<double>(possible - 1);
  EXPECT_LT(chi, freedom + 5 * std::sqrt(2 * freedom));
}

Schedule walk(SchedulerKind kind, const Program& program, std::uint64_t location = 0) {
  Schedule s;
  s.scheduler = kind;
  s.estimates = estimates_of(program, location);
  return s;
}

TEST(UniformWalk, AllInterleavingsAreEquallyLikely) {
  Program program = {{x(1), x(1), y(1), x(1), y(1)}, {y(2), x(2), x(2), y(2), x(2)}};
  constexpr int kRuns = 100'000;
  expect_uniform(orders(walk(SchedulerKind::kUniform, program), program, kRuns, "12"), 252, kRuns);
}

TEST(UniformWalk, AThreadToBeCreatedCountsForItsCreator) {
  Program program = {{x(1), make_creation(2, 2), x(3), x(3)},
                     {x(8)},
                     {x(4), make_creation(3, 5), x(6)},
                     {x(7), x(7)}};
  // By brute force: the interleavings of the four sequences, where 4 follows 2 and 7 follows 5.
  constexpr int kRuns = 100'000;
  auto counts = orders(walk(SchedulerKind::kUniform, program), program, kRuns, "12345678");
  std::set<std::string> possible;
  std::function<void(std::string, std::vector<std::size_t>)> extend =
      [&](std::string order, std::vector<std::size_t> at) {
        bool ended = true;
        for (std::size_t t = 0; t < program.size(); ++t) {
          bool begun = t < 2 || (t == 2 && at[0] > 1) || (t == 3 && at[2] > 1);
          if (at[t] == program[t].size()) {
            continue;
          }
          ended = false;
          if (begun) {
            auto next = at;
            ++next[t];
            extend(order + std::to_string(program[t][at[t]].site.offset), next);
          }
        }
        if (ended) {
          possible.insert(order);
        }
      };
  extend("", {0, 0, 0, 0});
  expect_uniform(counts, possible.size(), kRuns);
}

TEST(UniformWalk, WithoutEstimatesItIsARandomWalk) {
  Program program = {{x(1), x(1)}, {x(2)}};
  Schedule s;
  s.scheduler = SchedulerKind::kUniform;
  auto counts = orders(s, program, 40'000, "12");
  EXPECT_NEAR(counts["211"], 20'000, 500);
  EXPECT_NEAR(counts["121"], 10'000, 500);
}

TEST(SelectiveWalk, AllOrdersOfTheSelectedAccessesAreEquallyLikely) {
  constexpr int kRuns = 100'000;
  std::uint64_t location = location_key(x(1).event);
  Program three = {{y(8), x(1), x(1), y(8), y(8), y(8), x(1)}, {x(2), y(9), x(2), x(2)}};
  expect_uniform(orders(walk(SchedulerKind::kSelective, three, location), three, kRuns, "12"), 20,
                 kRuns);
  Program four = {{x(1), x(1), x(1), x(1), y(8), y(8)}, {x(2), y(9), y(9), x(2), x(2), x(2)}};
  expect_uniform(orders(walk(SchedulerKind::kSelective, four, location), four, kRuns, "12"), 70,
                 kRuns);
}

TEST(SelectiveWalk, TheSelectedAccessesMayBeListedPlacesInCode) {
  constexpr int kRuns = 100'000;
  EventSelection listed = {EventSelection::By::kListed, {x(1).event.site, x(2).event.site}};
  Program program = {{x(8), x(1), x(1), x(8), x(8), x(8), x(1)}, {x(2), x(9), x(2), x(2)}};
  Schedule s = walk(SchedulerKind::kSelective, program);
  s.estimates = estimates_of(program, selection_key(x(1).event, listed), listed);
  expect_uniform(orders(s, program, kRuns, "12"), 20, kRuns);
}

TEST(SelectiveWalk, TheSelectedAccessesMayBeAllThatTakeALock) {
  constexpr int kRuns = 100'000;
  auto lock = [](std::uint64_t where, std::uint32_t site) {
    return make_operation(OpKind::kLock, where, site);
  };
  EventSelection locks = {EventSelection::By::kLocks, {}};
  Program program = {{x(8), lock(kX, 1), lock(kY, 1), x(8), x(8), lock(kX, 1)},
                     {lock(kY, 2), x(9), lock(kX, 2), lock(kX, 2)}};
  Schedule s = walk(SchedulerKind::kSelective, program);
  s.estimates = estimates_of(program, selection_key(lock(kX, 1).event, locks), locks);
  expect_uniform(orders(s, program, kRuns, "12"), 20, kRuns);
}

TEST(SelectiveWalk, AnIntentionPassesToAChild) {
  constexpr int kRuns = 100'000;
  std::uint64_t location = location_key(x(1).event);
  Program program = {{y(8), make_creation(2, 9), x(1), x(1)}, {x(3), x(3)}, {y(8), x(2), x(2)}};
  expect_uniform(orders(walk(SchedulerKind::kSelective, program, location), program, kRuns, "123"),
                 90, kRuns);
}

TEST(SelectiveWalk, WrongEstimatesKeepNobodyFromRunning) {
  Program program = {{x(1), x(1), x(1)}, {x(2), x(2)}};
  Schedule s;
  s.scheduler = SchedulerKind::kSelective;
  s.estimates = {location_key(x(1).event), {{hash_bytes("0"), 1}}};
  auto counts = orders(s, program, 1000, "12");
  for (const auto& [order, n] : counts) {
    EXPECT_EQ(order.size(), 5u);
  }
  EXPECT_GT(counts.size(), 3u);
}

// Delay bounding by its definition, where the delays come at given steps.
std::string with_delays(const Program& program, std::multiset<std::size_t> delays) {
  std::vector<std::size_t> at(program.size(), 0);
  std::string order;
  std::size_t turn = 0;
  std::size_t step = 0;
  auto able = [&](std::size_t t) { return at[t] < program[t].size(); };
  auto next = [&](std::size_t t) {
    do {
      t = (t + 1) % program.size();
    } while (!able(t));
    return t;
  };
  for (;;) {
    std::size_t n = 0;
    for (std::size_t t = 0; t < program.size(); ++t) {
      n += able(t) ? 1 : 0;
    }
    if (n == 0) {
      return order;
    }
    turn = able(turn) ? turn : next(turn);
    if (n > 1) {  // only then there is a choice
      ++step;
      for (std::size_t i = 0; i < delays.count(step); ++i) {
        turn = next(turn);
      }
    }
    order += std::to_string(program[turn][at[turn]++].site.offset);
  }
}

TEST(Delay, ReachesWhatItsDelaysCanReach) {
  Program program = {{x(1), x(2)}, {x(3), x(4)}, {x(5), x(6)}};
  constexpr std::size_t kLength = 5;
  for (std::uint32_t bound : {0u, 1u, 2u}) {
    std::set<std::string> possible;
    for (std::size_t a = 1; a <= kLength; ++a) {
      for (std::size_t b = 1; b <= kLength; ++b) {
        std::multiset<std::size_t> delays;
        if (bound > 0) delays.insert(a);
        if (bound > 1) delays.insert(b);
        possible.insert(with_delays(program, delays));
      }
    }
    Schedule s;
    s.scheduler = SchedulerKind::kDelay;
    s.delay_bound = bound;
    s.pct_length = kLength;
    std::set<std::string> reached;
    for (const auto& [order, n] : orders(s, program, 2000, "123456")) {
      reached.insert(order);
    }
    EXPECT_EQ(reached, possible) << bound;
  }
  Schedule none;
  none.scheduler = SchedulerKind::kDelay;
  none.delay_bound = 0;
  EXPECT_EQ(orders(none, program, 10, "123456").begin()->first, "123456");
}

}  // namespace
}  // namespace rff
