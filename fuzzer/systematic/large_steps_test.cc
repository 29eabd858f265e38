// Steps that do more than the operation at which they begin, as with few stop points.
#include <gtest/gtest.h>

#include "fuzzer/systematic/outside_steps.h"
#include "fuzzer/systematic/simulated_classes.h"

namespace rff {
namespace {

SimulatedStep any_access(Random& random, bool stops) {
  constexpr OpKind kOps[] = {OpKind::kRead, OpKind::kWrite, OpKind::kReadModifyWrite};
  return {kOps[random.below(3)], static_cast<int>(random.below(3)), 1, stops};
}

// Whether the program's later accesses are at one place or another depends on what it reads.
SimulatedThread random_thread(Random& random) {
  std::vector<std::array<SimulatedStep, 2>> steps;
  for (std::uint64_t n = 2 + random.below(4); steps.size() < n;) {
    bool stops = steps.empty() || random.chance(1, 2);
    steps.push_back({any_access(random, stops), any_access(random, stops)});
  }
  return [steps](const std::vector<int>& read) -> std::optional<SimulatedStep> {
    if (read.size() >= steps.size()) {
      return std::nullopt;
    }
    return steps[read.size()][read.empty() ? 0 : read.back() & 1];
  };
}

TEST(LargeSteps, TracesOfRandomProgramsAreThoseOfAllInterleavings) {
  Random random(7);
  for (int round = 0; round < 60 && !testing::Test::HasFatalFailure(); ++round) {
    Threads threads;
    for (std::uint64_t n = 2 + random.below(2); threads.size() < n;) {
      threads.push_back(random_thread(random));
    }
    expect_all_classes(threads, random, "round " + std::to_string(round), true);
  }
}

ExploredStep block(std::uint16_t thread, OpKind op, std::vector<Touch> touches) {
  ExploredStep step;
  step.thread = thread;
  step.op = op;
  step.touches = std::move(touches);
  return step;
}
constexpr Touch kNothing = {};
constexpr Touch kWriteX = {100, 104, false, true}, kReadX = {100, 104, true, false};
constexpr Touch kEndOf1 = {901, 902, false, true}, kJoin1 = {901, 902, true, false};

TEST(OutsideSteps, WhatFollowsTheStartOfAThreadMayMatterToOthers) {
  using enum OpKind;
  std::vector<ExploredStep> blocks = {
      block(0, kThreadCreate, {kNothing}), block(0, kThreadCreate, {kNothing}),
      block(1, kThreadStart, {kNothing, kWriteX}), block(2, kThreadStart, {kNothing}),
      block(2, kCall, {kNothing, kReadX, kNothing})};
  std::vector<bool> is_step = {false, false, false, false, true};
  EXPECT_TRUE(conflicts_outside_steps(blocks, is_step));
  blocks[4].touches[1] = {200, 204, true, true};  // other memory
  EXPECT_FALSE(conflicts_outside_steps(blocks, is_step));
}

TEST(OutsideSteps, CreatingAndJoiningThreadsOrdersWhatTheyDo) {
  using enum OpKind;
  std::vector<ExploredStep> blocks = {block(0, kThreadCreate, {kNothing}),
                                      block(1, kThreadStart, {kNothing}),
                                      block(1, kCall, {kNothing, kWriteX, kEndOf1}),
                                      block(0, kThreadJoin, {kJoin1, kReadX, kWriteX}),
                                      block(0, kThreadCreate, {kNothing, kNothing}),
                                      block(2, kThreadStart, {kNothing, kReadX})};
  std::vector<bool> is_step = {false, false, true, false, false, false};
  EXPECT_FALSE(conflicts_outside_steps(blocks, is_step));
  blocks[3].touches[0] = {902, 903, true, false};  // joins another thread
  EXPECT_TRUE(conflicts_outside_steps(blocks, is_step));
}

}  // namespace
}  // namespace rff
