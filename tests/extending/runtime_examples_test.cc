// The examples of docs/extending.md that belong to the runtime: a scheduler and a primitive.
#include <gtest/gtest.h>

#include <optional>
#include <set>

#include "libsched/engine/fake_program.h"
#include "libsched/engine/schedulers/interleave.h"
#include "tests/extending/primitive_example.h"
#include "tests/extending/scheduler_example.h"

namespace rff {
namespace {

constexpr std::uint32_t kPass = 2, kOpen = 9, kJoin = 8;  // sites

// Two threads that pass a gate, which the main thread opens if it is told to.
FakeProgram::Body gated(bool opens) {
  return [opens](FakeProgram& p) {
    static std::optional<Gate> gate;  // at the same address in every run: the address is its name
    gate.emplace(p.execution());
    auto walker = [](FakeProgram& q) {
      q.write(kX, 1);
      gate->pass({1, kPass});
    };
    Thread& a = p.create(walker);
    Thread& b = p.create(walker);
    if (opens) {
      gate->open({1, kOpen});
    }
    p.join(a, kJoin);
    p.join(b, kJoin);
  };
}

void use_newest_first(FakeProgram& p) {
  static Memory memory;
  static const Schedule schedule;
  p.execution().set_scheduler(
      make_fair(make_newest_first(schedule, memory), p.execution().progress, schedule.seed),
      schedule);
}

TEST(SchedulerExample, RunsTheNewestThreadFirst) {
  Memory memory;
  std::unique_ptr<Scheduler> scheduler = make_newest_first({}, memory);
  EXPECT_EQ(
      interleave(*scheduler, memory,
                 {{make_operation(OpKind::kWrite, kX, 1), make_operation(OpKind::kWrite, kX, 2)},
                  {make_operation(OpKind::kWrite, kX, 3), make_operation(OpKind::kRead, kY, 4)},
                  {make_operation(OpKind::kRead, kX, 5)}}),
      "53412");
}

TEST(SchedulerExample, ItsRunsReplay) {
  FakeProgram first;
  use_newest_first(first);
  ASSERT_EQ(first.run(gated(true)), "");
  EXPECT_EQ(first.order(), "main.2:1 main.1:1 main:9 main.2:2 main.1:2 main:8 main:8");
  Schedule replay;
  replay.scheduler = SchedulerKind::kRandom;
  replay.prefix = first.decisions();
  FakeProgram second(replay);
  ASSERT_EQ(second.run(gated(true)), "");
  EXPECT_EQ(second.order(), first.order());
  EXPECT_EQ(second.divergences, 0);
}

TEST(SchedulerExample, ItsRowFitsTheTable) {
  const SchedulerRow& row = scheduler_table::kExample;
  EXPECT_EQ(row.name, "newest-first");
  EXPECT_FALSE(scheduler_from_name(row.name)) << "an example is no part of the product";
  EXPECT_FALSE(row.has(SchedulerParameter::kDepth));
}

TEST(PrimitiveExample, NoThreadPassesAClosedGate) {
  std::set<std::string> orders;
  for (unsigned kind = 0; kind < static_cast<unsigned>(SchedulerKind::kCount); ++kind) {
    for (std::uint64_t seed = 0; seed < 2; ++seed) {
      Schedule schedule;
      schedule.scheduler = static_cast<SchedulerKind>(kind);
      schedule.seed = seed;
      FakeProgram p(schedule);
      ASSERT_EQ(p.run(gated(true)), "");
      ASSERT_LT(p.order().find("main:9"), p.order().find(":2")) << p.order();
      orders.insert(p.order());
    }
  }
  EXPECT_GE(orders.size(), 2u);
}

TEST(PrimitiveExample, AGateThatStaysClosedIsADeadlockThatSaysWhatIsWaitedFor) {
  FakeProgram p;
  ASSERT_EQ(p.run(gated(false)), "deadlock");
  for (std::size_t walker : {1u, 2u}) {
    const Operation& op = *p.execution().threads()[walker]->pending;
    EXPECT_EQ(op.site, (CodeName{1, kPass}));
    EXPECT_EQ(op.waits_for->object, WaitObject::kConditionVariable);
  }
}

}  // namespace
}  // namespace rff
