#include "fuzzer/explain/repeats.h"

#include <gtest/gtest.h>

#include <string_view>

namespace rff {
namespace {

std::vector<Repeat> repeats(std::string_view text) {
  return find_repeats(text.size(), [&](auto i, auto j) { return text[i] == text[j]; });
}

TEST(FindRepeats, FindsBlocksOfOneAndOfSeveral) {
  auto found = repeats("xaaaaayabcabcabcabcz");
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].begin, 1u);
  EXPECT_EQ(found[0].length, 1u);
  EXPECT_EQ(found[0].times, 4u);
  EXPECT_EQ(found[1].begin, 7u);
  EXPECT_EQ(found[1].length, 3u);
  EXPECT_EQ(found[1].end(), 19u);
}

TEST(FindRepeats, LeavesShortOnesAlone) {
  EXPECT_TRUE(repeats("").empty());
  EXPECT_TRUE(repeats("aaabab").empty());
}

}  // namespace
}  // namespace rff
