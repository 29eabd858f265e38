#include "fuzzer/core/strategies/archive_strategy.h"

#include <gtest/gtest.h>

#include <set>

#include "fuzzer/core/test_lessons.h"

namespace rff {
namespace {

using namespace test_data;

FakeRun counting(std::uint64_t first, std::uint64_t second) {
  FakeRun run;
  run.step(1, write_at(kX, 1), 0x40, first);
  run.step(1, write_at(kX, 2), 0x40, second);
  run.step(1, write_at(kX, 3), 0x40, 0);
  return run;
}

// Returns the lengths of the prefixes that lead to states.
std::set<std::size_t> lengths(ArchiveStrategy& archive) {
  std::set<std::size_t> result;
  Random random(1);
  for (int i = 0; i < 100; ++i) {
    std::optional<Schedule> schedule = archive.propose(random);
    if (schedule) {
      EXPECT_TRUE(schedule->guided);
      EXPECT_EQ(schedule->scheduler, SchedulerKind::kWindow);
      result.insert(schedule->prefix.size());
    }
  }
  return result;
}

TEST(ArchiveStrategy, HasNoProposalBeforeTheFirstRun) {
  Teacher teacher;
  ArchiveStrategy archive(teacher.knowledge.focus(), {1, 2}, {3, 4}, {});
  EXPECT_TRUE(lengths(archive).empty());
}

// No memory decides anything here, so all states before the end of the thread are equal.
TEST(ArchiveStrategy, ChoosesBetweenDecidingAndAllStatesByItsShare) {
  Teacher teacher;
  ArchiveStrategy all(teacher.knowledge.focus(), kNever, kNever, {});
  ArchiveStrategy deciding(teacher.knowledge.focus(), kNever, {1, 1}, {});
  teacher.show(all, counting(1, 2));
  teacher.show(deciding, counting(1, 2));
  EXPECT_EQ(lengths(all), (std::set<std::size_t>{1, 2, 3}));
  EXPECT_EQ(lengths(deciding), (std::set<std::size_t>{1, 3}));
}

TEST(ArchiveStrategy, GoesBackToTheFirstRunWithAValueByItsShare) {
  Teacher teacher;
  ArchiveStrategy values(teacher.knowledge.focus(), {1, 1}, kNever, {});
  FakeRun reads_less;
  reads_less.step(1, read_at(kX, 1), 0x40, 0);
  FakeRun reads_twice;
  reads_twice.step(1, read_at(kX, 1), 0x40, 0).step(1, read_at(kX, 2), 0x40, 0);
  teacher.show(values, reads_less);
  teacher.show(values, reads_twice);
  teacher.show(values, reads_less);  // now it is known that the code goes two ways
  FakeRun another = reads_twice;
  another.step(1, read_at(kX, 1), 0x40, 7);
  teacher.show(values, another);
  EXPECT_TRUE(lengths(values).contains(3u));
}

}  // namespace
}  // namespace rff
