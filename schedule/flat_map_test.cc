#include "schedule/flat_map.h"

#include <gtest/gtest.h>

#include <unordered_map>

#include "schedule/hash.h"

namespace rff {
namespace {

TEST(FlatMap, HoldsWhatAnOrdinaryMapHolds) {
  FlatMap<std::uint32_t> map;
  std::unordered_map<std::uint64_t, std::uint32_t> expected;
  Random random(1);
  for (std::uint32_t i = 0; i < 20'000; ++i) {
    // Covers small numbers, neighbors, multiples of powers of two and hashes.
    std::uint64_t key =
        random.chance(1, 2) ? random.below(1000) << random.below(40) : random.next();
    auto [entry, fresh] = map.insert(key, i);
    auto [known, new_here] = expected.try_emplace(key, i);
    ASSERT_EQ(fresh, new_here) << key;
    ASSERT_EQ(entry->value, known->second) << key;
  }
  for (const auto& [key, value] : expected) {
    ASSERT_NE(map.find(key), nullptr) << key;
    EXPECT_EQ(map.find(key)->value, value);
  }
  for (int i = 0; i < 1000; ++i) {
    std::uint64_t key = random.next();
    EXPECT_EQ(map.find(key) != nullptr, expected.contains(key)) << key;
  }
}

TEST(FlatMap, AnEmptyOneHasNothing) {
  FlatMap<std::uint32_t> map;
  EXPECT_EQ(map.find(0), nullptr);
  ++map[7];
  ++map[7];
  EXPECT_EQ(map.find(7)->value, 2u);
  EXPECT_EQ(map.find(0), nullptr);
}

TEST(FlatSet, KnowsWhatIsNew) {
  FlatSet set;
  EXPECT_TRUE(set.insert(0));
  EXPECT_FALSE(set.insert(0));
  EXPECT_TRUE(set.contains(0));
  EXPECT_FALSE(set.contains(1));
}

}  // namespace
}  // namespace rff
