#include "fuzzer/core/wanted_values.h"

#include <gtest/gtest.h>

#include <set>

#include "fuzzer/core/test_runs.h"

namespace rff {
namespace {

using namespace test_data;

const Location kX = variable(0x40);
const Location kLock = variable(0x80);
constexpr std::uint16_t kWriter = 1;
constexpr std::uint16_t kReader = 2;

AbstractEvent look() { return read_at(kX, 9); }
AbstractEvent count() { return write_at(kX, 1); }

// The reader continues in two ways after its read, so the value matters.
Focus deciding() {
  Focus focus;
  FakeRun one;
  one.step(kReader, look(), 0x40).step(kReader, write_at(variable(0x90), 2), 0x90);
  FakeRun other;
  other.step(kReader, look(), 0x40);
  focus.observe(one.summary());
  focus.observe(other.summary());
  focus.observe(one.summary());
  return focus;
}

// Returns for each schedule the number of writer steps before the reader's first step.
std::multiset<std::size_t> writes_before_the_look(WantedValues& wanted) {
  std::multiset<std::size_t> result;
  Random random(1);
  for (Schedule s; wanted.take(random, s); s = {}) {
    EXPECT_TRUE(s.guided);
    std::size_t n = 0;
    while (n < s.prefix.size() && s.prefix[n].thread == kWriter) {
      ++n;
    }
    EXPECT_LT(n, s.prefix.size());
    result.insert(n);
  }
  return result;
}

void add(WantedValues& wanted, const FakeRun& run, bool worthwhile = true) {
  wanted.add(run.summary(), record_order(run.summary()), deciding(), worthwhile);
}

TEST(WantedValues, LetsAReadWaitForEachValueWrittenLater) {
  WantedValues wanted;
  FakeRun run;
  run.step(kReader, look(), 0x40, 0);
  run.step(kWriter, count(), 0x40, 1)
      .step(kWriter, count(), 0x40, 2)
      .step(kWriter, count(), 0x40, 3);
  add(wanted, run);
  EXPECT_EQ(writes_before_the_look(wanted), (std::multiset<std::size_t>{1, 2, 3}));
}

TEST(WantedValues, LetsAReadComeBeforeWhatWasWrittenSince) {
  WantedValues wanted;
  FakeRun run;
  run.step(kWriter, count(), 0x40, 1)
      .step(kWriter, count(), 0x40, 2)
      .step(kWriter, count(), 0x40, 3);
  run.step(kReader, look(), 0x40, 3);
  add(wanted, run);
  EXPECT_EQ(writes_before_the_look(wanted), (std::multiset<std::size_t>{1, 2}));
}

TEST(WantedValues, AsksForNoValueTwice) {
  WantedValues wanted;
  FakeRun run;
  run.step(kReader, look(), 0x40, 2)
      .step(kWriter, count(), 0x40, 1)
      .step(kWriter, count(), 0x40, 2);
  add(wanted, run);
  EXPECT_EQ(writes_before_the_look(wanted), (std::multiset<std::size_t>{1}));  // 2 has been read
  add(wanted, run);
  EXPECT_TRUE(writes_before_the_look(wanted).empty());  // 1 has been tried
}

TEST(WantedValues, LearnsNothingFromARunThatShowedNothing) {
  WantedValues wanted;
  FakeRun run;
  run.step(kReader, look(), 0x40, 0).step(kWriter, count(), 0x40, 1);
  add(wanted, run, false);
  EXPECT_TRUE(writes_before_the_look(wanted).empty());
}

TEST(WantedValues, MovesCriticalSectionsAsAWhole) {
  AbstractEvent lock = object_event(OpKind::kLock, kLock, 20);
  AbstractEvent unlock = object_event(OpKind::kUnlock, kLock, 21);
  WantedValues wanted;
  FakeRun run;
  run.step(kReader, lock, 0x80).step(kReader, look(), 0x40, 0).step(kReader, unlock, 0x80);
  run.step(kWriter, lock, 0x80).step(kWriter, count(), 0x40, 1).step(kWriter, unlock, 0x80);
  add(wanted, run);
  EXPECT_EQ(writes_before_the_look(wanted), (std::multiset<std::size_t>{3}));
}

}  // namespace
}  // namespace rff
