// Unit tests of each row of the constraint tables, and of the outcome of constraints.
#include <gtest/gtest.h>

#include <algorithm>

#include "libsched/engine/schedulers/interleave.h"

namespace rff {
namespace {

TEST(ReadsFrom, WithoutConstraintsItIsPartialOrderSampling) {
  std::vector<std::vector<Operation>> program = {
      {make_operation(OpKind::kWrite, kY, 1), make_operation(OpKind::kWrite, kX, 2)},
      {make_operation(OpKind::kWrite, kX, 3)}};
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Memory a;
    Memory b;
    Schedule s;
    s.seed = seed;
    auto rff = make_reads_from(s, a);
    auto pos = make_pos(s, b);
    EXPECT_EQ(interleave(*rff, a, program), interleave(*pos, b, program));
  }
}

// Rows of the tables. Events: w and v write x, r reads x, o touches something else.
class ConstraintRow : public ::testing::Test {
 protected:
  const Operation w = make_operation(OpKind::kWrite, kX, 1);
  const Operation v = make_operation(OpKind::kWrite, kX, 2);
  const Operation r = make_operation(OpKind::kRead, kX, 3);
  const Operation o = make_operation(OpKind::kWrite, kY, 4);

  // Returns the sites that are chosen first over many seeds, with the given operations pending.
  std::string choices(const Constraint& c, std::vector<Operation> operations,
                      std::uint64_t last_writer_of_x = 0) {
    std::string chosen;
    for (std::uint64_t seed = 0; seed < 100; ++seed) {
      Memory memory;
      if (last_writer_of_x != 0) {
        memory.writers[kX] = last_writer_of_x;
      }
      Schedule s;
      s.seed = seed;
      s.constraints.insert(c);
      auto scheduler = make_reads_from(s, memory);
      std::vector<Thread> threads(operations.size());
      PendingThreads pending;
      pending.start(scheduler->crowds(), kNoPreemption);
      for (std::size_t i = 0; i < operations.size(); ++i) {
        threads[i].index = static_cast<std::uint32_t>(i);
        threads[i].stop_with(operations[i]);
        pending.insert(threads[i]);
      }
      pending.update(0, 0);
      char site = static_cast<char>('0' + scheduler->pick(pending)->pending->site.offset);
      if (chosen.find(site) == std::string::npos) {
        chosen += site;
      }
    }
    std::sort(chosen.begin(), chosen.end());
    return chosen;
  }
  Constraint positive() const { return {w.event, r.event, true}; }
  Constraint negative() const { return {w.event, r.event, false}; }
};

TEST_F(ConstraintRow, PositiveNotWrittenAndNoReaderHasNoEffect) {
  EXPECT_EQ(choices(positive(), {w, v, o}), "124");
}
TEST_F(ConstraintRow, PositiveNotWrittenAndReaderWaitingLowersReaderRaisesWriter) {
  EXPECT_EQ(choices(positive(), {w, v, r, o}), "1");
  EXPECT_EQ(choices(positive(), {v, r, o}), "24");
  EXPECT_EQ(choices(positive(), {r, o}), "4");
}
TEST_F(ConstraintRow, PositiveWrittenRaisesReader) {
  EXPECT_EQ(choices(positive(), {w, v, r, o}, w.id), "3");
}
TEST_F(ConstraintRow, PositiveWrittenLowersOtherWritersEvenWithoutReader) {
  EXPECT_EQ(choices(positive(), {w, v, o}, w.id), "14");
}
TEST_F(ConstraintRow, PositiveOverwrittenGoesBackToTheFirstRows) {
  EXPECT_EQ(choices(positive(), {w, r, o}, v.id), "1");
}
TEST_F(ConstraintRow, NegativeNotWrittenRaisesReader) {
  EXPECT_EQ(choices(negative(), {w, v, r, o}), "3");
}
TEST_F(ConstraintRow, NegativeNotWrittenLowersWriter) {
  EXPECT_EQ(choices(negative(), {w, v, o}), "24");
}
TEST_F(ConstraintRow, NegativeWrittenLowersReaderRaisesOtherWriters) {
  EXPECT_EQ(choices(negative(), {w, v, r, o}, w.id), "2");
  EXPECT_EQ(choices(negative(), {w, r, o}, w.id), "14");
}
TEST_F(ConstraintRow, InitialValueIsAWriterLikeAnyOther) {
  Constraint from_init{AbstractEvent::init(place(kX)), r.event, true};
  EXPECT_EQ(choices(from_init, {w, v, r, o}), "3");
  EXPECT_EQ(choices(from_init, {w, v, o}), "4");
  EXPECT_EQ(choices(from_init.negated(), {w, r, o}), "1");
}
TEST_F(ConstraintRow, InitialValueIsNotWaitedForOnceOverwritten) {
  Constraint from_init{AbstractEvent::init(place(kX)), r.event, true};
  EXPECT_EQ(choices(from_init, {r, o}, v.id), "34");
}

// Outcomes of constraints during a run.
class ConstraintLife : public ConstraintRow {
 protected:
  Scheduler::ConstraintCounts run(const Constraint& c, std::vector<std::vector<Operation>> program,
                                  std::uint32_t patience = 1000) {
    Memory memory;
    Schedule s;
    s.constraints.insert(c);
    s.patience = patience;
    auto scheduler = make_reads_from(s, memory);
    order = interleave(*scheduler, memory, std::move(program));
    return scheduler->constraint_counts();
  }
  std::string order;
};

TEST_F(ConstraintLife, SatisfiedOnceTheReadHappens) {
  auto counts = run(positive(), {{w}, {v}, {r}});
  EXPECT_EQ(counts.satisfied, 1u);
  EXPECT_NE(order.find("13"), std::string::npos) << order;
}
TEST_F(ConstraintLife, RejectedWhenTheReadIsForcedToSeeTheWrite) {
  EXPECT_EQ(run(negative(), {{w, r}}).rejected, 1u);
}
TEST_F(ConstraintLife, AbandonedInitOnceGlobalIsWritten) {
  EXPECT_EQ(run({AbstractEvent::init(place(kX)), r.event, true}, {{v, r}, {o}}).abandoned, 1u);
}
TEST_F(ConstraintLife, AbandonedWhenItHoldsAThreadBackTooLong) {
  std::vector<Operation> busy(50, o);
  EXPECT_EQ(run(positive(), {{r}, busy}, 10).abandoned, 1u);
  EXPECT_LT(order.find('3'), 50u) << "the reader runs once the constraint is gone: " << order;
}

}  // namespace
}  // namespace rff
