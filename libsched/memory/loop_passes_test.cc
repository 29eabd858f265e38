#include "libsched/memory/loop_passes.h"

#include <gtest/gtest.h>

namespace rff {
namespace {

constexpr CodeName kSite{1, 0x10}, kOther{1, 0x20};
constexpr std::uint64_t kFlag = 0x1000, kData = 0x2000, kState = 7;

// A thread that reads the flag in every pass.
class LoopPassesTest : public testing::Test {
 protected:
  bool pass(std::uint64_t state = kState) {
    bool repeats = passes.stops(kSite, kFlag, state);
    passes.uses(kFlag, 4, 0);
    return repeats;
  }
  LoopPasses passes;
};

TEST_F(LoopPassesTest, APassThatChangesNothingIsRepeated) {
  EXPECT_FALSE(pass());
  EXPECT_TRUE(passes.stops(kSite, kFlag, kState));
  EXPECT_FALSE(passes.released());
  ASSERT_EQ(passes.awaited().size(), 1u);
  EXPECT_EQ(passes.awaited()[0].begin, kFlag);
  EXPECT_EQ(passes.awaited()[0].end, kFlag + 4);
}

TEST_F(LoopPassesTest, APassInAnotherStateIsNot) {
  EXPECT_FALSE(pass());
  EXPECT_FALSE(pass(kState + 1));
  EXPECT_FALSE(pass(kState));
}

TEST_F(LoopPassesTest, APassThatChangesSomethingIsNot) {
  EXPECT_FALSE(pass());
  passes.breaks();
  EXPECT_FALSE(pass());
  EXPECT_TRUE(pass());
}

TEST_F(LoopPassesTest, AChangeOfWhatItReadEndsTheWait) {
  pass();
  EXPECT_TRUE(passes.stops(kSite, kFlag, kState));
  passes.changed(kFlag + 4, 4);
  EXPECT_FALSE(passes.released());
  passes.changed(kFlag + 3, 1);
  EXPECT_TRUE(passes.released());
}

TEST_F(LoopPassesTest, AChangeDuringThePassEndsTheWaitBeforeItBegins) {
  pass();
  passes.changed(kFlag, 4);
  EXPECT_TRUE(passes.stops(kSite, kFlag, kState));
  EXPECT_TRUE(passes.released());
}

TEST_F(LoopPassesTest, APassThatSawAChangeIsNotRepeated) {
  pass();
  passes.changed(kFlag, 4);
  passes.stops(kOther, kFlag, kState);
  passes.uses(kFlag, 4, 0);
  EXPECT_FALSE(passes.stops(kSite, kFlag, kState));
}

TEST_F(LoopPassesTest, AllThatThePassReadIsAwaited) {
  passes.stops(kSite, kFlag, kState);
  passes.uses(kFlag, 4, 0);
  passes.uses(kData, 8, 0);
  EXPECT_TRUE(passes.stops(kSite, kFlag, kState));
  passes.changed(kData + 7, 1);
  EXPECT_TRUE(passes.released());
}

// Functions that a thread calls leave something in its registers.
TEST_F(LoopPassesTest, AYieldInTheSameStateCountsForTheNextStop) {
  pass(1);
  passes.yields(kOther, kState);
  EXPECT_FALSE(pass(2));
  passes.yields(kOther, kState);
  EXPECT_TRUE(pass(3));
  passes.yields(kOther, kState + 1);
  EXPECT_FALSE(pass(4));
}

}  // namespace
}  // namespace rff
