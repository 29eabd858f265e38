#include "libsched/engine/schedulers/tournament.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "schedule/hash.h"

namespace rff {
namespace {

TEST(Tournament, KnowsTheSmallestOfAllThatWereSet) {
  for (std::size_t most : {1, 5, 8, 9, 100, 1000}) {
    Tournament tournament;
    std::vector<std::uint64_t> expected(most, Tournament::kAbsent);
    Random random(most);
    for (int i = 0; i < 5000; ++i) {
      std::size_t which = random.below(most);
      expected[which] = random.chance(1, 4) ? Tournament::kAbsent : random.next() >> 1;
      tournament.set(which, expected[which]);
      ASSERT_EQ(tournament[which], expected[which]);
      ASSERT_EQ(tournament[tournament.best()], *std::min_element(expected.begin(), expected.end()));
    }
  }
}

TEST(Tournament, AValueThatWasNeverSetIsAbsent) {
  Tournament tournament;
  EXPECT_EQ(tournament[3], Tournament::kAbsent);
  tournament.set(20, 7);
  EXPECT_EQ(tournament.best(), 20u);
  EXPECT_EQ(tournament[19], Tournament::kAbsent);
  EXPECT_EQ(tournament[1000], Tournament::kAbsent);
}

}  // namespace
}  // namespace rff
