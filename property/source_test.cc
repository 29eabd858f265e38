// Numbers, strings and bytes as they are decoded from an input.
#include <gtest/gtest.h>

#include <climits>
#include <cstdint>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "rff/gtest.h"

namespace {

using Bytes = std::vector<unsigned char>;

rff_source source_of(const Bytes& bytes) { return {bytes.data(), bytes.size(), 0}; }

std::int64_t ranged(const Bytes& bytes, std::int64_t lo, std::int64_t hi) {
  rff_source s = source_of(bytes);
  return rff_source_signed_range(&s, lo, hi);
}

TEST(Source, NumbersAreLittleEndianAndMissingBytesAreZero) {
  Bytes bytes{0x34, 0x12};
  rff_source s = source_of(bytes);
  EXPECT_EQ(rff_source_number(&s, 4), 0x1234u);
  EXPECT_EQ(rff_source_number(&s, 8), 0u);
}

TEST(Source, NegativeNumbersAreSimpleNearZero) {
  Bytes minus_one{0, 0, 0, 0x80};
  rff_source s = source_of(minus_one);
  EXPECT_EQ(rff_source_signed(&s, 4), -1);
  Bytes least{0xff, 0xff, 0xff, 0xff};
  s = source_of(least);
  EXPECT_EQ(rff_source_signed(&s, 4), INT_MIN);
}

TEST(Source, RangesTakeNumbersAsTheyAre) {
  EXPECT_EQ(ranged({130}, 0, 1000), 130);
  EXPECT_EQ(ranged({7}, 5, 9), 7);
  EXPECT_EQ(ranged({2, 0x80}, -1000, 1000), -3);
}

TEST(Source, ZeroIsTheNumberNearestToZero) {
  EXPECT_EQ(ranged({}, 5, 9), 5);
  EXPECT_EQ(ranged({}, -9, -5), -5);
  EXPECT_EQ(ranged({}, -9, 9), 0);
  EXPECT_EQ(ranged({}, INT64_MIN, INT64_MIN), INT64_MIN);
}

TEST(Source, EveryByteGivesANumberInTheRangeAndEachOneIsReached) {
  for (auto [lo, hi] : {std::pair{-3, 4}, {0, 7}, {-9, -5}, {20, 29}, {0, 0}, {-1, 0}, {-1, 3}}) {
    std::set<std::int64_t> seen;
    for (int byte = 0; byte < 256; byte++) {
      std::int64_t value = ranged({static_cast<unsigned char>(byte)}, lo, hi);
      ASSERT_GE(value, lo);
      ASSERT_LE(value, hi);
      seen.insert(value);
    }
    EXPECT_EQ(seen.size(), static_cast<std::size_t>(hi - lo + 1)) << lo << " to " << hi;
  }
}

TEST(Source, RangesOfAnySizeHold) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 20000; i++) {
    auto lo = static_cast<std::int64_t>(random()) >> random() % 64;
    auto hi = static_cast<std::int64_t>(random()) >> random() % 64;
    if (lo > hi) std::swap(lo, hi);
    Bytes bytes(random() % 10);
    for (auto& b : bytes) b = static_cast<unsigned char>(random());
    std::int64_t value = ranged(bytes, lo, hi);
    ASSERT_TRUE(value >= lo && value <= hi) << value << " in " << lo << " to " << hi;
  }
}

TEST(Source, DoublesAreWholeNumbersHalvesThousandthsOrAnyBits) {
  auto value = [](const Bytes& bytes) {
    rff_source s = source_of(bytes);
    return rff_source_double(&s);
  };
  EXPECT_EQ(value({}), 0);
  EXPECT_EQ(value({0, 101}), 101);
  EXPECT_EQ(value({1, 3}), 1.5);
  EXPECT_EQ(value({2, 1}), 0.001);
  EXPECT_EQ(value({3, 0, 0, 0, 0, 0, 0, 0xf8, 0x3f}), 1.5);
}

TEST(Source, BytesLieInTheInputAfterTheirNumber) {
  Bytes bytes{3, 0, 7};
  rff_source s = source_of(bytes);
  unsigned char buffer[8] = {9, 9, 9, 9};
  ASSERT_EQ(rff_source_bytes(&s, buffer, sizeof buffer), 3u);
  EXPECT_EQ(Bytes(buffer, buffer + 4), (Bytes{0, 7, 0, 9}));
}

TEST(Source, StringsEndAtAZeroOrAtTheEndOfTheirBuffer) {
  Bytes bytes{'a', 'b', 0, 'c', 'd', 'e'};
  rff_source s = source_of(bytes);
  char buffer[3];
  EXPECT_EQ(rff_source_string(&s, buffer, 3), 2u);
  EXPECT_STREQ(buffer, "ab");
  EXPECT_EQ(rff_source_number(&s, 1), 0u);
  EXPECT_EQ(rff_source_string(&s, buffer, 1), 0u);
  EXPECT_STREQ(buffer, "");
  EXPECT_EQ(rff_source_string(&s, buffer, 3), 2u);
  EXPECT_STREQ(buffer, "cd");
}

TEST(Draws, OutsideAPropertyAreTheSimplest) {
  EXPECT_EQ(rff_bool(), 0);
  EXPECT_EQ(rff_int(4, 9), 4);
  EXPECT_EQ(rff_long(), 0);
  EXPECT_EQ(rff_pick(3), 0u);
}

TEST(Decisions, WithoutARuntimeChangeNothing) {
  int order[] = {3, 1, 2};
  rff_shuffle(order, 3, sizeof *order);
  EXPECT_EQ(std::vector<int>(order, order + 3), (std::vector<int>{3, 1, 2}));
  EXPECT_EQ(rff_choose(5), 0u);
  rff_turn("nothing");
}

}  // namespace
