#include "fuzzer/core/strategies/flip_strategy.h"

#include <gtest/gtest.h>

#include "fuzzer/core/test_lessons.h"

namespace rff {
namespace {

using namespace test_data;

// Thread 1 writes, then thread 2 reads.
FakeRun write_then_read() {
  FakeRun run;
  run.reads_from(write_at(kX, 1), read_at(kX, 2));
  run.step(1, write_at(kX, 1), 0x40).step(2, read_at(kX, 2), 0x40);
  return run;
}

TEST(FlipStrategy, HasNoProposalBeforeItHasSeenARace) {
  Teacher teacher;
  FlipStrategy flips(teacher.knowledge, {});
  Random random(1);
  EXPECT_FALSE(flips.propose(random));
  EXPECT_FALSE(flips.any_flip().propose(random));
}

TEST(FlipStrategy, ReversesARaceOfARun) {
  bool reversed = false;
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    Teacher teacher;
    FlipStrategy flips(teacher.knowledge, {});
    teacher.show(flips, write_then_read());
    Random random(seed);
    std::optional<Schedule> schedule = flips.propose(random);
    ASSERT_TRUE(schedule);
    reversed |= schedule->guided && schedule->prefix.size() == 1 && schedule->prefix[0].thread == 2;
  }
  EXPECT_TRUE(reversed);
}

// With checks of memory, a use that could come after the free is tried before all other races.
TEST(FlipStrategy, ReversesUsesAndFreesFirstIfThatIsAFinding) {
  const Location block{LocationKind::kHeap, 5, 0};
  constexpr std::uint16_t kUser = 3, kFreer = 9;
  auto first_choices = [&](bool frees_first) {
    int frees = 0;
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      Teacher teacher;
      FlipStrategy flips(teacher.knowledge, {}, frees_first);
      FakeRun run = write_then_read();
      for (std::uint32_t site = 10; site < 16; ++site) {
        run.step(1, write_at(kX, site), 0x40).step(2, read_at(kX, 100 + site), 0x40);
      }
      run.step(kUser, read_at(block, 50), 0x80);
      run.step(kFreer, AbstractEvent::make(OpKind::kFree, block, 16, {7, 60}), 0x80);
      teacher.show(flips, run);
      Random random(seed);
      std::optional<Schedule> schedule = flips.propose(random);
      std::size_t length = schedule ? schedule->prefix.size() : 0;
      bool reversed = length >= 2 && schedule->prefix[length - 2].thread == kFreer &&
                      schedule->prefix[length - 1].thread == kUser;
      bool asked = schedule && !schedule->constraints.empty() &&
                   schedule->constraints.constraints()[0].write.op == OpKind::kFree;
      frees += reversed || asked ? 1 : 0;
    }
    return frees;
  };
  EXPECT_EQ(first_choices(true), 20);
  EXPECT_LT(first_choices(false), 20);
}

TEST(FlipStrategy, LearnsNoRacesFromARunThatShowedNothingNew) {
  Teacher teacher;
  FlipStrategy flips(teacher.knowledge, {});
  FlipStrategy late(teacher.knowledge, {});
  teacher.show(flips, write_then_read());
  teacher.show(late, write_then_read());
  Random random(1);
  EXPECT_FALSE(late.any_flip().propose(random));
}

TEST(FlipStrategy, ProposesWhatPromisesLittleOnlyThroughAnyFlip) {
  Teacher teacher;
  FlipStrategy flips(teacher.knowledge, {});
  // Places outside the focus are not promising after two flips without a result.
  FakeRun run = write_then_read();
  for (std::uint32_t site = 10; site < 30; ++site) {
    run.step(1, write_at(kX, site), 0x40).step(2, read_at(kX, 100 + site), 0x40);
  }
  teacher.show(flips, run);
  Random random(1);
  while (flips.propose(random)) {
    teacher.show(flips, run, &flips);
  }
  EXPECT_TRUE(flips.any_flip().propose(random));
}

TEST(FlipStrategy, ForgetsItsFlipsToReleaseOrders) {
  Teacher teacher;
  FlipStrategy flips(teacher.knowledge, {});
  teacher.show(flips, write_then_read());
  flips.release_orders();
  Random random(1);
  EXPECT_FALSE(flips.any_flip().propose(random));
}

}  // namespace
}  // namespace rff
