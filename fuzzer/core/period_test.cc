#include "fuzzer/core/period.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <string>

#include "schedule/hash.h"

namespace rff {
namespace {

std::string text(const std::vector<Period>& schedule) {
  std::string result;
  for (const Period& p : schedule) {
    result +=
        (result.empty() ? "" : " ") + std::string(p.points, static_cast<char>('A' + p.thread));
  }
  return result;
}

std::vector<std::string> all(const std::vector<std::size_t>& points, std::size_t extra) {
  PeriodSchedules schedules(points, extra);
  std::vector<Period> one;
  std::vector<std::string> result;
  while (schedules.next(one)) {
    result.push_back(text(one));
  }
  return result;
}

// Number of periods → schedules with it.
std::map<std::size_t, std::size_t> by_periods(const std::vector<std::size_t>& points,
                                              std::size_t extra) {
  std::map<std::size_t, std::size_t> counts;
  for (const std::string& s : all(points, extra)) {
    ++counts[static_cast<std::size_t>(std::count(s.begin(), s.end(), ' ')) + 1];
  }
  return counts;
}

TEST(PeriodSchedules, OfTwoThreadsAreThoseFoundByHand) {
  EXPECT_EQ(all({2, 2}, 2),
            (std::vector<std::string>{"AA BB", "A BB A", "BB AA", "A B A B", "B AA B", "B A B A"}));
  EXPECT_EQ(by_periods({3, 3}, 4),
            (std::map<std::size_t, std::size_t>{{2, 2}, {3, 4}, {4, 8}, {5, 4}, {6, 2}}));
  EXPECT_EQ(by_periods({3, 3}, 1), (std::map<std::size_t, std::size_t>{{2, 2}, {3, 4}}));
}

TEST(PeriodSchedules, NeedTwoThreads) {
  EXPECT_TRUE(all({5}, 3).empty());
  EXPECT_TRUE(all({0, 4, 0}, 3).empty());
  EXPECT_TRUE(all({}, 3).empty());
}

// By brute force: every interleaving, cut where the thread changes.
TEST(PeriodSchedules, AreAllThereAreEachOnce) {
  Random random(1);
  for (int round = 0; round < 40; ++round) {
    std::vector<std::size_t> points(2 + random.below(3));
    std::size_t threads = 0;
    for (std::size_t& n : points) {
      n = random.below(points.size() == 4 ? 3 : 5);
      threads += n > 0 ? 1 : 0;
    }
    std::size_t extra = random.below(4);
    std::set<std::string> expected;
    std::function<void(std::string, std::vector<std::size_t>)> extend =
        [&](const std::string& order, std::vector<std::size_t> left) {
          bool ended = true;
          for (std::size_t t = 0; t < left.size(); ++t) {
            if (left[t] == 0) continue;
            ended = false;
            auto rest = left;
            --rest[t];
            char name = static_cast<char>('A' + t);
            bool cut = !order.empty() && order.back() != name;
            extend(order + (cut ? " " : "") + name, rest);
          }
          auto periods = static_cast<std::size_t>(std::count(order.begin(), order.end(), ' ')) + 1;
          if (ended && threads > 1 && periods <= threads + extra) {
            expected.insert(order);
          }
        };
    extend("", points);
    std::vector<std::string> found = all(points, extra);
    EXPECT_EQ(std::set<std::string>(found.begin(), found.end()), expected);
    EXPECT_EQ(found.size(), expected.size());
  }
}

// The first schedules of a program with many threads already cut one of them in two.
TEST(PeriodSchedules, OfManyThreadsDoNotOnlyPermuteTheLastOnes) {
  PeriodSchedules schedules(std::vector<std::size_t>(50, 2), 2);
  std::vector<Period> one;
  std::set<std::size_t> first;
  bool cut = false;
  for (int i = 0; i < 500; ++i) {
    ASSERT_TRUE(schedules.next(one));
    first.insert(one[0].thread);
    cut |= one.size() > 50;
  }
  EXPECT_TRUE(cut);
}

}  // namespace
}  // namespace rff
