#include "fuzzer/core/strategies/wanted_value_strategy.h"

#include <gtest/gtest.h>

#include "fuzzer/core/test_lessons.h"

namespace rff {
namespace {

using namespace test_data;

constexpr std::uint16_t kWriter = 1;
constexpr std::uint16_t kReader = 2;

// The run does not show that the value decides how the reader continues.
FakeRun read_then_write() {
  FakeRun run;
  run.step(kReader, read_at(kX, 9), 0x40, 0).step(kWriter, write_at(kX, 1), 0x40, 1);
  return run;
}

TEST(WantedValueStrategy, AsksForAValueThatDecidesNothingAsOftenAsItsShareSays) {
  for (Share share : {kNever, Share{1, 1}}) {
    Teacher teacher;
    WantedValueStrategy wanted(teacher.knowledge.focus(), share, {});
    teacher.show(wanted, read_then_write());
    Random random(1);
    std::optional<Schedule> schedule = wanted.propose(random);
    ASSERT_EQ(schedule.has_value(), share.part > 0);
    if (schedule) {
      EXPECT_TRUE(schedule->guided);
      ASSERT_EQ(schedule->prefix.size(), 2u);
      EXPECT_EQ(schedule->prefix[0].thread, kWriter);
      EXPECT_EQ(schedule->prefix[1].thread, kReader);
    }
  }
}

TEST(WantedValueStrategy, AsksForAValueThatDecidesWithoutRegardToTheShare) {
  Teacher teacher;
  WantedValueStrategy wanted(teacher.knowledge.focus(), kNever, {});
  FakeRun goes_on;  // the reader continues in two ways after its read
  goes_on.step(kReader, read_at(kX, 9), 0x40, 0);
  goes_on.step(kReader, write_at(variable(0x90), 2), 0x90, 0);
  FakeRun ends;
  ends.step(kReader, read_at(kX, 9), 0x40, 0);
  teacher.show(wanted, goes_on);
  teacher.show(wanted, ends);
  teacher.show(wanted, read_then_write());
  Random random(1);
  EXPECT_TRUE(wanted.propose(random));
}

// A run in which the writer counts from `first` on, after the read.
FakeRun counting_from(std::uint64_t first, std::uint64_t writes) {
  FakeRun run;
  run.step(kReader, read_at(kX, 9), 0x40, 0);
  for (std::uint64_t i = 0; i < writes; ++i) {
    run.step(kWriter, write_at(kX, 1), 0x40, first + i);
  }
  return run;
}

TEST(WantedValueStrategy, ValuesAreUsefulUntilManyInARowBringNothing) {
  Teacher teacher;
  WantedValueStrategy wanted(teacher.knowledge.focus(), kNever, {});
  teacher.show(wanted, counting_from(1, 60));
  Random random(1);
  int proposed = 0;
  // Shows every proposal's run; none takes a new path.
  auto propose_until_useless = [&] {
    while (wanted.useful_values().propose(random)) {
      ++proposed;
      teacher.show(wanted, counting_from(1, 60), &wanted.useful_values());
    }
  };
  propose_until_useless();
  EXPECT_EQ(proposed, 32);
  EXPECT_FALSE(wanted.values_together().propose(random));
  FakeRun new_path = counting_from(1, 60);
  new_path.step(kReader, read_at(kY, 11), 0x80);
  teacher.show(wanted, new_path, &wanted.useful_values());
  propose_until_useless();
  EXPECT_EQ(proposed, 60) << "all other values";
}

TEST(WantedValueStrategy, AValueThatTheProgramComparesWithComesFirst) {
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    Teacher teacher;
    WantedValueStrategy wanted(teacher.knowledge.focus(), kNever, {});
    teacher.show(wanted, counting_from(1, 20).compares(0, 13, 50));
    Random random(seed);
    std::optional<Schedule> schedule = wanted.propose(random);
    ASSERT_TRUE(schedule);
    EXPECT_EQ(schedule->prefix.size(), 14u);
    EXPECT_FALSE(wanted.propose(random)) << "the others decide nothing";
  }
}

TEST(WantedValueStrategy, ProposesWhatASectionSeesTogetherByItself) {
  Teacher teacher;
  WantedValueStrategy wanted(teacher.knowledge.focus(), kNever, {});
  teacher.show(wanted, read_then_write());
  Random random(1);
  EXPECT_FALSE(wanted.values_together().propose(random)) << "no section, and one read";
  AbstractEvent lock = object_event(OpKind::kLock, variable(0x100), 20);
  AbstractEvent unlock = object_event(OpKind::kUnlock, variable(0x100), 21);
  FakeRun run;
  run.step(kReader, lock, 0x100).step(kReader, read_at(kX, 30), 0x40);
  run.step(kReader, read_at(kY, 31), 0x80).step(kReader, unlock, 0x100);
  run.step(kWriter, lock, 0x100).step(kWriter, write_at(kX, 32), 0x40, 1);
  run.step(kWriter, unlock, 0x100);
  run.step(kWriter, lock, 0x100).step(kWriter, write_at(kY, 33), 0x80, 1);
  run.step(kWriter, unlock, 0x100);
  teacher.show(wanted, run);
  std::optional<Schedule> schedule = wanted.values_together().propose(random);
  ASSERT_TRUE(schedule);
  EXPECT_TRUE(schedule->guided);
  EXPECT_TRUE(wanted.values_together().propose(random));
  EXPECT_FALSE(wanted.values_together().propose(random));
}

TEST(WantedValueStrategy, ForgetsItsWishesToReleaseOrders) {
  Teacher teacher;
  WantedValueStrategy wanted(teacher.knowledge.focus(), {1, 1}, {});
  teacher.show(wanted, read_then_write());
  wanted.release_orders();
  Random random(1);
  EXPECT_FALSE(wanted.propose(random));
}

}  // namespace
}  // namespace rff
