#include "fuzzer/afl/plan_exchange.h"

#include <gtest/gtest.h>

#include <memory>

namespace rff {
namespace {

Schedule schedule_of(std::uint64_t plan) {
  Schedule s;
  s.scheduler = SchedulerKind::kSystematic;
  s.exploration.seed = plan;
  s.points = {.racing = true, .every_access = false, .listed = false, .shared_version = 2};
  return s;
}

class PlanExchangeTest : public testing::Test {
 protected:
  PlanExchangeTest()
      : memory_(SharedMapping::create(2 * sizeof(PlanChannel))),
        shared_memory_(SharedMapping::create(sizeof(SharedMemory))),
        giver_(open(), 2) {
    shared().initialize();
  }
  SharedMapping open() { return SharedMapping::open(memory_.path(), 2 * sizeof(PlanChannel)); }
  SharedMemory& shared() { return *shared_memory_.as<SharedMemory>(); }

  void give(const std::vector<std::uint64_t>& plans) {
    std::vector<Schedule> schedules;
    for (std::uint64_t plan : plans) {
      schedules.push_back(schedule_of(plan));
    }
    giver_.give(schedules, points_);
  }
  // Returns the plans whose runs have come; 0 for one that is not known.
  std::vector<std::uint64_t> take() {
    std::vector<std::uint64_t> plans;
    giver_.take([&](const Schedule* s, ReceivedRun& received) {
      plans.push_back(s != nullptr ? s->exploration.seed : 0);
      received_.push_back(std::move(received));
    });
    return plans;
  }
  static RunSummary a_run() {
    RunSummary run;
    run.outcome = RunOutcome::kNormal;
    return run;
  }

  SharedMapping memory_, shared_memory_;
  PlanGiver giver_;
  std::vector<std::uint64_t> points_ = {PointName{{1, 7}}.packed(),
                                        PointName{{1, 5}, true}.packed()};
  std::vector<ReceivedRun> received_;
};

TEST_F(PlanExchangeTest, AnInstanceGetsAScheduleWithItsPoints) {
  PlanTaker taker(open(), 1);
  EXPECT_FALSE(taker.take());
  give({11});
  EXPECT_TRUE(giver_.is_out(schedule_of(11)));
  std::optional<Schedule> s = taker.take();
  ASSERT_TRUE(s);
  EXPECT_EQ(s->exploration.seed, 11u);
  EXPECT_TRUE(s->points.listed);
  EXPECT_EQ(s->points.sites, (std::vector<CodeName>{{1, 7}}));
  EXPECT_EQ(s->points.handed_over, (std::vector<CodeName>{{1, 5}}));
}

TEST_F(PlanExchangeTest, ARunComesBackWithAllThatTheSearchLooksAt) {
  PlanTaker taker(open(), 1);
  give({11});
  Schedule s = *taker.take();
  std::vector<AbstractEvent> events(3);
  std::vector<Step> steps = {{.address = 8, .value = 0, .event = 2, .thread = 1, .check = 3}};
  std::vector<ConsideredAction> considered(2);
  std::vector<WorldChoice> choices = {{2, 1, 0}};
  RunSummary run = a_run();
  run.outcome = RunOutcome::kFinding;
  run.finding = FindingKind::kDeadlock;
  run.flags = 5;
  run.events = events;
  run.steps = steps;
  run.considered = considered;
  run.world_choices = choices;
  shared().points.append(77);
  taker.answer(s, run, shared());
  EXPECT_EQ(take(), (std::vector<std::uint64_t>{11}));
  EXPECT_FALSE(giver_.is_out(schedule_of(11)));
  const ReceivedRun& r = received_[0];
  EXPECT_TRUE(r.usable && r.run.failed());
  EXPECT_EQ(r.run.finding, FindingKind::kDeadlock);
  EXPECT_EQ(r.run.flags, 5u);
  EXPECT_EQ(r.run.events.size(), 3u);
  ASSERT_EQ(r.run.steps.size(), 1u);
  EXPECT_EQ(r.run.steps[0].event, 2u);
  EXPECT_EQ(r.run.considered.size(), 2u);
  EXPECT_EQ(r.run.world_choices.size(), 1u);
  EXPECT_EQ(r.points, (std::vector<std::uint64_t>{77}));
}

TEST_F(PlanExchangeTest, EachInstanceHasFewPlansAndNoPlanTwice) {
  give({1, 2, 1, 3, 4, 5, 6});
  EXPECT_FALSE(giver_.has_room());
  EXPECT_FALSE(giver_.is_out(schedule_of(5)));
  PlanTaker first(open(), 1), second(open(), 2);
  std::multiset<std::uint64_t> taken;
  for (PlanTaker* taker : {&first, &second}) {
    while (std::optional<Schedule> s = taker->take()) {
      taken.insert(s->exploration.seed);
    }
  }
  EXPECT_EQ(taken, (std::multiset<std::uint64_t>{1, 2, 3, 4}));
}

TEST_F(PlanExchangeTest, WhatADeadInstanceHadIsGivenAgain) {
  give({1, 2, 3, 4});
  { PlanTaker(open(), 1).take(); }  // plan 1 dies with it
  PlanTaker again(open(), 1);
  Schedule s = *again.take();
  EXPECT_EQ(s.exploration.seed, 3u);
  again.answer(s, a_run(), shared());
  EXPECT_EQ(take(), (std::vector<std::uint64_t>{3}));
  EXPECT_FALSE(giver_.is_out(schedule_of(1)));
  EXPECT_TRUE(giver_.is_out(schedule_of(2)));
  EXPECT_TRUE(giver_.has_room());
}

TEST_F(PlanExchangeTest, ARunThatWasLostOrIsTooLongIsAnsweredWithoutLists) {
  PlanTaker taker(open(), 1);
  give({1});
  RunSummary run;
  run.outcome = RunOutcome::kUnresponsive;
  taker.answer(*taker.take(), run, shared());
  EXPECT_EQ(take(), (std::vector<std::uint64_t>{1}));
  EXPECT_FALSE(received_[0].usable);
  give({2});
  std::vector<Step> steps(1 << 19);
  run = a_run();
  run.steps = steps;
  taker.answer(*taker.take(), run, shared());
  EXPECT_EQ(take(), (std::vector<std::uint64_t>{2}));
  EXPECT_FALSE(received_[1].usable);
}

TEST_F(PlanExchangeTest, ANewGiverDoesNotKnowOldPlans) {
  PlanTaker taker(open(), 1);
  give({1});
  Schedule old = *taker.take();
  giver_ = PlanGiver(open(), 2);
  taker.answer(old, a_run(), shared());
  EXPECT_EQ(take(), (std::vector<std::uint64_t>{0}));
}

}  // namespace
}  // namespace rff
