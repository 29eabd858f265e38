#include "fuzzer/core/strategies/wanted_value_strategy.h"

#include <gtest/gtest.h>

#include "fuzzer/core/test_lessons.h"

namespace rff {
namespace {

using namespace test_data;

const Location kX = variable(0x40);
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
