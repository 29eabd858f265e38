#include "fuzzer/core/wanted_values.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#include "fuzzer/core/test_runs.h"

namespace rff {
namespace {

using namespace test_data;

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
std::multiset<std::size_t> writes_before_the_look(
    WantedValues& wanted, WantedValues::Only only = WantedValues::Only::kAll) {
  std::multiset<std::size_t> result;
  Random random(1);
  for (Schedule s; wanted.take(random, only, s); s = {}) {
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

// The writer counts x and y up in critical sections of their own, each two times; the reader looks
// at both in one, before or after that.
FakeRun torn(bool reader_first) {
  AbstractEvent lock = object_event(OpKind::kLock, variable(0x100), 20);
  AbstractEvent unlock = object_event(OpKind::kUnlock, variable(0x100), 21);
  FakeRun run;
  auto look_at_both = [&](std::uint64_t value) {
    run.step(kReader, lock, 0x100);
    run.step(kReader, look(), 0x40, value).step(kReader, read_at(kY, 10), 0x80, value);
    run.step(kReader, unlock, 0x100);
  };
  if (reader_first) look_at_both(0);
  for (std::uint64_t value : {1, 2}) {
    run.step(kWriter, lock, 0x100).step(kWriter, count(), 0x40, value);
    run.step(kWriter, unlock, 0x100);
    run.step(kWriter, lock, 0x100).step(kWriter, write_at(kY, 2), 0x80, value);
    run.step(kWriter, unlock, 0x100);
  }
  if (!reader_first) look_at_both(2);
  return run;
}

// The section sees each pair of values once, also those of which each value alone has been seen.
TEST(WantedValues, ACriticalSectionWantsValuesTogether) {
  for (bool reader_first : {true, false}) {
    for (bool deciding_values : {true, false}) {  // x decides, y does not
      WantedValues wanted(deciding_values);
      add(wanted, torn(reader_first));
      std::multiset<std::size_t> sections;
      for (std::size_t writes : writes_before_the_look(wanted, WantedValues::Only::kTogether)) {
        EXPECT_EQ(writes % 3, 0u);
        sections.insert(writes / 3);
      }
      // With the reader first, it may come after each of the four; else it cannot come after none,
      // which nobody wrote, and was after all of them.
      std::multiset<std::size_t> x =
          reader_first ? std::multiset<std::size_t>{1, 3} : std::multiset<std::size_t>{1, 2, 3};
      std::multiset<std::size_t> y =
          reader_first ? std::multiset<std::size_t>{2, 4} : std::multiset<std::size_t>{2, 3};
      EXPECT_EQ(sections, deciding_values ? x : y) << reader_first;
      EXPECT_TRUE(writes_before_the_look(wanted).empty()) << "nothing is left";
    }
  }
}

TEST(WantedValues, ASingleReadWantsNothingTogether) {
  WantedValues wanted;
  FakeRun run;
  run.step(kReader, look(), 0x40, 0).step(kWriter, count(), 0x40, 1);
  add(wanted, run);
  EXPECT_TRUE(writes_before_the_look(wanted, WantedValues::Only::kTogether).empty());
  EXPECT_EQ(writes_before_the_look(wanted), (std::multiset<std::size_t>{1}));
}

// Returns the numbers of writer steps before the look, in the order of the proposals.
std::vector<std::size_t> compared_first(WantedValues& wanted) {
  std::vector<std::size_t> result;
  Random random(1);
  for (Schedule s; wanted.take(random, WantedValues::Only::kCompared, s); s = {}) {
    result.push_back(static_cast<std::size_t>(std::count_if(
        s.prefix.begin(), s.prefix.end(), [](const Decision& d) { return d.thread == kWriter; })));
  }
  return result;
}

// The reader reads 0 at `address` and compares it; the writer counts to 9.
FakeRun compared(std::uint64_t address, std::uint64_t with) {
  const unsigned shift = address % 8 * 8;  // the runtime leaves values where they lie in the word
  FakeRun run;
  run.step(kReader, look(), address, 0);
  for (std::uint64_t value = 1; value <= 9; ++value) {
    run.step(kWriter, count(), address, value << shift);
  }
  return run.compares(0, with, 50);
}

TEST(WantedValues, AValueThatWasComparedIsKnownAsSuch) {
  for (std::uint64_t address : {0x40, 0x44}) {
    WantedValues wanted;
    add(wanted, compared(address, 7));
    EXPECT_EQ(compared_first(wanted), (std::vector<std::size_t>{7})) << address;
    EXPECT_EQ(writes_before_the_look(wanted), (std::multiset<std::size_t>{1, 2, 3, 4, 5, 6, 8, 9}));
  }
}

TEST(WantedValues, ComparedWithSomethingElseIsNotCompared) {
  WantedValues wanted;
  FakeRun run = compared(0x40, 70);
  run.compares(3, 7, 50);  // 3 is not what was read
  add(wanted, run);
  EXPECT_TRUE(compared_first(wanted).empty());
}

TEST(WantedValues, ComparedValuesAreWantedAFewTimes) {
  WantedValues wanted;
  for (std::size_t time = 0; time < 4; ++time) {
    add(wanted, compared(0x40, 7));
    EXPECT_EQ(compared_first(wanted).size(), 1u) << time;
  }
  add(wanted, compared(0x40, 7));
  EXPECT_TRUE(compared_first(wanted).empty());
}

TEST(WantedValues, AComparedValueIsWantedAgainWhereAnotherOneIsRight) {
  WantedValues wanted;
  for (int time = 0; time < 4; ++time) {
    add(wanted, compared(0x40, 7));
    compared_first(wanted);
  }
  add(wanted, compared(0x40, 7).compares(3, 3, 51));
  EXPECT_EQ(compared_first(wanted).size(), 1u);
  add(wanted, compared(0x40, 7).compares(3, 3, 51));
  EXPECT_TRUE(compared_first(wanted).empty());
}

// The reader's own read of Y, and what came before that, stays where it was.
TEST(WantedValues, AWriterIsHeldBeforeItOverwritesTheValue) {
  constexpr std::uint16_t kOther = 3;
  WantedValues wanted;
  FakeRun run;
  run.step(kWriter, count(), 0x40, 1).step(kWriter, count(), 0x40, 2);
  run.step(kOther, write_at(kY, 5), 0x80, 9).step(kReader, read_at(kY, 6), 0x80, 9);
  run.step(kReader, look(), 0x40, 2);
  add(wanted, run.compares(2, 1, 50));
  std::set<std::string> orders;
  Random random(1);
  for (Schedule s; wanted.take(random, WantedValues::Only::kCompared, s); s = {}) {
    std::string order;
    for (const Decision& d : s.prefix) order += std::to_string(d.thread);
    orders.insert(order);
  }
  EXPECT_TRUE(orders.contains("1322")) << "the writer makes one step";
}

// A run in which the reader looks at X until it sees something wrong; the writer counts to 4.
FakeRun looks(std::initializer_list<std::uint64_t> values) {
  FakeRun run;
  std::uint64_t written = 0;
  for (std::uint64_t value : values) {
    for (; written < value; ++written) {
      run.step(kWriter, count(), 0x40, written + 1);
    }
    run.step(kReader, look(), 0x40, value);
  }
  for (; written < 4; ++written) {
    run.step(kWriter, count(), 0x40, written + 1);
  }
  return run;
}

// Returns how many schedules are proposed, at most 100.
int proposed(WantedValues& wanted) {
  Random random(1);
  int n = 0;
  for (Schedule s; n < 100 && wanted.take(random, WantedValues::Only::kAll, s); s = {}) {
    ++n;
  }
  return n;
}

TEST(WantedValues, ALoopOverATableWantsAValueForEachRound) {
  WantedValues wanted;
  for (std::uint64_t value : {0, 1, 2, 3, 4}) {
    add(wanted, looks({value}), false);
  }
  add(wanted, looks({0, 0}));  // zero lets the loop go on in the first round, not in the second
  EXPECT_EQ(proposed(wanted), 4) << "all values but zero, again, in the second round";
  add(wanted, looks({0, 2, 2}));
  EXPECT_EQ(proposed(wanted), 2) << "3 and 4 in the third round";
}

TEST(WantedValues, ALoopThatWaitsForOneValueHasNoRounds) {
  WantedValues waiting;
  // It goes on looking after every value but 4, and ends after that.
  add(waiting, looks({0, 1, 2, 3, 4}));
  add(waiting, looks({0, 0, 2, 2, 4}));
  EXPECT_EQ(proposed(waiting), 0);
}

}  // namespace
}  // namespace rff
