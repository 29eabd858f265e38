// Q-learning: what it reports of its choices, and how costs weigh.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "libsched/engine/schedulers/interleave.h"

namespace rff {
namespace {

Operation write(std::uint64_t address, std::uint32_t site) {
  return make_operation(OpKind::kWrite, address, site);
}
Operation read(std::uint64_t address, std::uint32_t site) {
  return make_operation(OpKind::kRead, address, site);
}

Schedule schedule_of(SchedulerKind kind, std::uint64_t seed) {
  Schedule s;
  s.scheduler = kind;
  s.seed = mix64(seed + 99);
  return s;
}

TEST(QLearning, ReportsWhatCouldBeChosenAndWasChosen) {
  Schedule s = schedule_of(SchedulerKind::kQLearning, 1);
  Memory memory;
  auto scheduler = make_scheduler(s, memory);
  std::string order = interleave(*scheduler, memory, {{write(kX, 1)}, {write(kX, 2)}});
  auto considered = scheduler->considered();
  ASSERT_EQ(considered.size(), 3u) << "after the first step only one thread is left";
  EXPECT_TRUE(considered[2].chosen());
  EXPECT_EQ(considered[2].choice, 1u);
  EXPECT_EQ(considered[0].state, considered[1].state);
  EXPECT_NE(considered[0].chosen(), considered[1].chosen());
  std::uint64_t first = write(kX, order[0] == '1' ? 1 : 2).id;
  EXPECT_EQ(considered[0].chosen() ? considered[0].action : considered[1].action, first);
}

TEST(QLearning, TheStateIsThePairsOrThePendingEventsAndWriters) {
  // Two reads of x that do not change what is read, in either order: the third choice begins from
  // the same set of pairs, and from the same pending events.
  for (SchedulerKind kind : {SchedulerKind::kQLearning, SchedulerKind::kQLearningRf}) {
    std::map<std::string, std::set<std::uint64_t>> states;
    for (std::uint64_t seed = 0; seed < 100; ++seed) {
      Schedule s = schedule_of(kind, seed);
      Memory memory;
      auto scheduler = make_scheduler(s, memory);
      std::string order = interleave(*scheduler, memory,
                                     {{read(kX, 1), write(kX, 3)}, {read(kX, 2), write(kX, 4)}});
      std::string before = order.substr(0, 2);
      std::sort(before.begin(), before.end());
      states[before].insert(scheduler->considered()[4].state);
    }
    EXPECT_EQ(states["12"].size(), 1u);
    EXPECT_EQ(states.size(), 3u);
  }
}

TEST(QLearning, DrawsByTheExponentialOfTheCost) {
  Schedule empty = schedule_of(SchedulerKind::kQLearning, 1);
  Memory memory;
  auto first = make_scheduler(empty, memory);
  interleave(*first, memory, {{write(kX, 1)}, {write(kX, 2)}});
  std::uint64_t state = first->considered()[0].state;
  // e^-1.5 against 1: 18.2 % of 20,000.
  int ones = 0;
  for (std::uint64_t seed = 0; seed < 20'000; ++seed) {
    Schedule s = schedule_of(SchedulerKind::kQLearning, seed);
    s.learned = {LearnedValue::make(state, write(kX, 1).id, LearnedValue::kOne * 3 / 2)};
    Memory fresh;
    auto scheduler = make_scheduler(s, fresh);
    ones += interleave(*scheduler, fresh, {{write(kX, 1)}, {write(kX, 2)}})[0] == '1' ? 1 : 0;
  }
  EXPECT_NEAR(ones, 3'649, 5 * 55);
}

TEST(QLearning, ThreadsAboutToDoTheSameAreOneAction) {
  Schedule s = schedule_of(SchedulerKind::kQLearning, 3);
  Memory memory;
  auto scheduler = make_scheduler(s, memory);
  interleave(*scheduler, memory, {{write(kX, 1)}, {write(kX, 1)}, {write(kX, 2)}});
  auto considered = scheduler->considered();
  ASSERT_GE(considered.size(), 2u);
  EXPECT_NE(considered[0].action, considered[1].action);
  EXPECT_TRUE(considered.size() == 2 || considered[2].choice == 1);
}

}  // namespace
}  // namespace rff
