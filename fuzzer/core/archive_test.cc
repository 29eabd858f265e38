#include "fuzzer/core/archive.h"

#include <gtest/gtest.h>

#include <set>

#include "fuzzer/core/test_runs.h"

namespace rff {
namespace {

using namespace test_data;

FakeRun counting(std::uint64_t first, std::uint64_t second) {
  FakeRun run;
  run.step(1, write_at(kX, 1), 0x40, first).step(2, write_at(kX, 2), 0x40, second);
  return run;
}

TEST(Archive, KeepsStatesThatAreNew) {
  Archive archive;
  auto add = [&](const FakeRun& run) {
    archive.add(run.summary(), record_order(run.summary()), nullptr);
    return archive.size();
  };
  std::size_t one = add(counting(1, 2));
  EXPECT_EQ(one, 2u);
  EXPECT_EQ(add(counting(1, 2)), one);      // the same states
  EXPECT_EQ(add(counting(1, 3)), one + 1);  // another value at the end
}

TEST(Archive, LooksOnlyAtMemoryThatDecides) {
  Archive archive;
  Focus nothing;
  auto add = [&](const FakeRun& run) {
    archive.add(run.summary(), record_order(run.summary()), &nothing);
    return archive.size();
  };
  std::size_t one = add(counting(1, 2));
  EXPECT_EQ(add(counting(1, 3)), one);
}

TEST(Archive, KeepsTheFirstStateWithEachValue) {
  Archive archive({}, Archive::Novelty::kValue);
  auto add = [&](const FakeRun& run) {
    archive.add(run.summary(), record_order(run.summary()), nullptr);
    return archive.size();
  };
  EXPECT_EQ(add(counting(1, 2)), 2u);
  EXPECT_EQ(add(counting(2, 1)), 2u);  // the same values in another order
  EXPECT_EQ(add(counting(2, 3)), 3u);
  Random random(1);
  bool leads_to_newest = false;
  for (int i = 0; i < 50; ++i) {
    Schedule s;
    ASSERT_TRUE(archive.take(random, s));
    leads_to_newest |= s.prefix.size() == 2;
  }
  EXPECT_TRUE(leads_to_newest);
}

TEST(Archive, LeadsBackToAState) {
  Archive archive;
  FakeRun run = counting(1, 2);
  archive.add(run.summary(), record_order(run.summary()), nullptr);
  std::set<std::size_t> lengths;
  Random random(1);
  for (int i = 0; i < 50; ++i) {
    Schedule s;
    ASSERT_TRUE(archive.take(random, s));
    EXPECT_TRUE(s.guided);
    EXPECT_EQ(s.prefix[0].thread, 1);
    lengths.insert(s.prefix.size());
  }
  EXPECT_EQ(lengths, (std::set<std::size_t>{1, 2}));
}

TEST(Focus, IsWhatCodeGoesTwoWaysAfterReading) {
  Focus focus;
  FakeRun one;
  one.step(1, read_at(kX, 1), 0x40).step(1, write_at(variable(0x80), 2), 0x80);
  focus.observe(one.summary());
  EXPECT_FALSE(focus.contains(location_key(read_at(kX, 1))));
  FakeRun other;
  other.step(1, read_at(kX, 1), 0x40);
  focus.observe(other.summary());
  focus.observe(one.summary());
  EXPECT_TRUE(focus.contains(location_key(read_at(kX, 1))));
  EXPECT_FALSE(focus.contains(location_key(write_at(variable(0x80), 2))));
}

}  // namespace
}  // namespace rff
