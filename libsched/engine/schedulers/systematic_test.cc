// Systematic: follows its order, leaves sleeping threads alone, and tells who could have run.
#include <gtest/gtest.h>

#include "libsched/engine/schedulers/interleave.h"

namespace rff {
namespace {

Operation x(std::uint32_t site) { return make_operation(OpKind::kWrite, kX, site); }
Operation y(std::uint32_t site) { return make_operation(OpKind::kWrite, kY, site); }

std::string run(const Exploration& plan, const std::vector<std::vector<Operation>>& program,
                std::vector<ConsideredAction>* considered = nullptr) {
  Schedule s;
  s.scheduler = SchedulerKind::kSystematic;
  s.exploration = plan;
  Memory memory;
  auto scheduler = make_scheduler(s, memory);
  std::string order = interleave(*scheduler, memory, program);
  if (considered != nullptr) {
    auto all = scheduler->considered();
    considered->assign(all.begin(), all.end());
  }
  return order;
}

TEST(Systematic, FollowsItsOrderAndGoesOnWithoutPreemption) {
  std::vector<std::vector<Operation>> program = {{x(1), x(2)}, {x(3), x(4)}, {x(5), x(6)}};
  EXPECT_EQ(run({}, program), "123456");
  EXPECT_EQ(run({.order = {{1, {}}, {0, {}}}}, program), "312456");
  EXPECT_EQ(run({.order = {{2, {}}}}, program), "561234");
  EXPECT_EQ(run({.order = {{1, {}}}, .rest = Exploration::Rest::kLast}, program), "341256");
}

TEST(Systematic, AThreadSleepsUntilAStepConflictsWithItsOwn) {
  // Thread 1 is about to write x: it wakes when thread 0 does.
  std::vector<std::vector<Operation>> program = {{y(1), y(2), x(3), y(4)}, {x(5)}, {y(6)}};
  EXPECT_EQ(run({.order = {{2, {}}}, .asleep = {0}}, program), "651234") << "0 and 2 conflict";
  EXPECT_EQ(run({.order = {{2, {}}}, .asleep = {1}}, program), "612345");
  EXPECT_EQ(run({.order = {{0, {}}}, .asleep = {1}}, program), "123456");
  EXPECT_EQ(run({.order = {{0, {}}}, .asleep = {1}}, {{y(1), y(2)}, {x(5)}, {y(6)}}), "1265");
}

TEST(Systematic, TellsWhoCouldHaveMadeEachStep) {
  std::vector<ConsideredAction> considered;
  EXPECT_EQ(run({}, {{x(1)}, {x(2)}}, &considered), "12");
  ASSERT_EQ(considered.size(), 3u);
  EXPECT_TRUE(considered[0].chosen());
  EXPECT_FALSE(considered[1].chosen());
  EXPECT_EQ(considered[1].thread, 1u);
  EXPECT_EQ(considered[1].action, x(2).id);
  EXPECT_EQ(considered[2].choice, 1u) << "the other thread was alone";
  EXPECT_TRUE(considered[2].chosen());
}

TEST(Systematic, WhatHasNoEffectIsDoneAtOnceAndIsNoStep) {
  std::vector<ConsideredAction> considered;
  Operation yield = make_operation(OpKind::kYield, 0, 3);
  EXPECT_EQ(run({}, {{x(1)}, {x(2)}, {yield}}, &considered), "312");
  ASSERT_EQ(considered.size(), 3u);
  EXPECT_EQ(considered[0].action, x(1).id);
}

}  // namespace
}  // namespace rff
