#include "fuzzer/replay/to_bytes.h"

#include <gtest/gtest.h>

namespace rff {
namespace {

std::vector<Decision> threads(const std::vector<int>& numbers) {
  std::vector<Decision> decisions;
  for (int n : numbers) {
    decisions.push_back({static_cast<std::uint16_t>(n), {}});
  }
  return decisions;
}

// Three threads that make four steps each: a byte is the number of one among those that are left.
std::vector<Decision> run_of_three(const std::string& bytes) {
  int left[3] = {4, 4, 4};
  std::vector<Decision> made;
  for (std::size_t at = 0;; ++at) {
    std::vector<std::uint16_t> able;
    for (std::uint16_t t = 0; t < 3; ++t) {
      if (left[t] > 0) {
        able.push_back(t);
      }
    }
    if (able.size() < 2) {
      return made;
    }
    std::uint16_t chosen =
        able[at < bytes.size() ? static_cast<unsigned char>(bytes[at]) % able.size() : 0];
    --left[chosen];
    made.push_back({chosen, {}});
  }
}

TEST(ToBytes, FindsBytesThatLeadToTheDecisions) {
  for (const std::vector<int>& wanted : {std::vector<int>{0, 0, 0, 0, 1, 1, 1, 1},
                                         {2, 1, 0, 2, 1, 0, 2, 1, 0, 2, 1},
                                         {0, 1, 2, 2, 2, 2, 0, 1, 0, 1, 0}}) {
    std::optional<std::string> bytes = bytes_for(threads(wanted), 3, run_of_three);
    ASSERT_TRUE(bytes);
    EXPECT_EQ(run_of_three(*bytes), threads(wanted));
  }
}

TEST(ToBytes, NeedsNoneWhereTheFirstThreadGoesOnAnyway) {
  EXPECT_EQ(bytes_for(threads({0, 0, 0, 0, 1, 1, 1, 1}), 3, run_of_three), "");
}

TEST(ToBytes, SaysIfThereAreNone) {
  EXPECT_FALSE(bytes_for(threads({0, 5}), 3, run_of_three));
  EXPECT_FALSE(bytes_for(threads({2, 2, 2, 2, 2}), 3, run_of_three));
}

}  // namespace
}  // namespace rff
