#include "fuzzer/core/agreements.h"

#include <gtest/gtest.h>

#include <vector>

namespace rff {
namespace {

using Places = std::vector<std::uint64_t>;

TEST(Agreements, ASetBeyondTheUsualOnesIsNewOnce) {
  Agreements agreements;
  for (std::uint64_t i = 0; i < Agreements::kFirstRuns; ++i) {
    EXPECT_FALSE(agreements.shows_new(Places{1, 2, 3 + i})) << "the first runs show the usual";
  }
  EXPECT_FALSE(agreements.shows_new(Places{1, 120})) << "one alone shows in the control flow";
  EXPECT_FALSE(agreements.shows_new(Places{2, 5, 240}));
  EXPECT_TRUE(agreements.shows_new(Places{1, 120, 240}));
  EXPECT_FALSE(agreements.shows_new(Places{240, 2, 120})) << "the same set";
  EXPECT_TRUE(agreements.shows_new(Places{360, 120, 240}));
}

TEST(Agreements, TheNumberOfSetsIsBounded) {
  Agreements agreements;
  std::size_t shown = 0;
  for (std::uint64_t i = 0; i < 2000; ++i) {
    shown += agreements.shows_new(Places{2 * i, 2 * i + 1}) ? 1 : 0;
  }
  EXPECT_EQ(shown, Agreements::kMostSets);
}

}  // namespace
}  // namespace rff
