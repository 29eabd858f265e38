// Tests that a driver is asked at every scheduling point, and that what it chooses is done and
// recorded as a decision.
#include <gtest/gtest.h>

#include <algorithm>

#include "libsched/engine/fake_program.h"

namespace rff {
namespace {

constexpr std::uint64_t kWord = 0x1000;

// Names the threads of a list, one at each point; then leaves the choice to the schedule.
class ListedDriver : public Driver {
 public:
  explicit ListedDriver(std::vector<std::uint32_t> wanted) : wanted_(std::move(wanted)) {}

  std::uint32_t choose(const Point& point) override {
    numbers.push_back(point.number);
    able.push_back(point.able.size());
    last = point.last;
    return point.number < wanted_.size() ? wanted_[point.number] : kSchedulersChoice;
  }

  std::vector<std::uint64_t> numbers;
  std::vector<std::size_t> able;  // how many threads could be chosen at each point
  std::uint32_t last = 0;

 private:
  std::vector<std::uint32_t> wanted_;
};

Schedule steady() {
  Schedule s;
  s.scheduler = SchedulerKind::kSteady;
  return s;
}

void two_driven_writers(FakeProgram& p) {
  Thread& a = p.create([](FakeProgram& q) {
    q.write(kWord, 1);
    q.write(kWord, 2);
  });
  Thread& b = p.create([](FakeProgram& q) { q.write(kWord, 3); });
  p.join(a, 4);
  p.join(b, 5);
}

TEST(Interactive, AsksAtEveryPointAlsoIfOneThreadIsLeft) {
  ListedDriver driver({});
  FakeProgram p(steady(), &driver);
  EXPECT_EQ(p.run(two_driven_writers), "");
  for (std::size_t i = 0; i < driver.numbers.size(); ++i) {
    EXPECT_EQ(driver.numbers[i], i);
  }
  EXPECT_NE(std::find(driver.able.begin(), driver.able.end(), 1u), driver.able.end());
  // A decision is a choice among several.
  auto choices =
      std::count_if(driver.able.begin(), driver.able.end(), [](auto n) { return n > 1; });
  EXPECT_EQ(p.decisions().size(), static_cast<std::size_t>(choices));
}

TEST(Interactive, TheDriversChoiceIsMadeAndReplays) {
  // main.2 starts and writes between the two writes of main.1.
  ListedDriver driver({1, 1, 2, 2});
  FakeProgram p(steady(), &driver);
  EXPECT_EQ(p.run(two_driven_writers), "");
  EXPECT_EQ(p.order(), "main.1:1 main.2:3 main.1:2 main:4 main:5");
  Schedule replay = steady();
  replay.prefix = p.decisions();
  FakeProgram again(replay);
  EXPECT_EQ(again.run(two_driven_writers), "");
  EXPECT_EQ(again.order(), p.order());
  EXPECT_EQ(again.divergences, 0);
}

TEST(Interactive, WhatTheDriverLeavesOpenTheScheduleDecides) {
  FakeProgram alone(steady());
  EXPECT_EQ(alone.run(two_driven_writers), "");
  ListedDriver driver({});
  FakeProgram driven(steady(), &driver);
  EXPECT_EQ(driven.run(two_driven_writers), "");
  EXPECT_EQ(driven.order(), alone.order());
  EXPECT_EQ(driven.decisions(), alone.decisions());
}

TEST(Interactive, AThreadThatCannotGoOnIsNotChosen) {
  ListedDriver driver({1000, 0, 0, 0});  // main waits for main.1
  FakeProgram p(steady(), &driver);
  EXPECT_EQ(p.run(two_driven_writers), "");
  EXPECT_EQ(p.order(), "main.1:1 main.1:2 main:4 main.2:3 main:5");
}

}  // namespace
}  // namespace rff
