#include "fuzzer/core/turns.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "fuzzer/core/test_runs.h"

namespace rff {
namespace {

using namespace test_data;

Rounds rounds_of(std::string_view text) {
  std::vector<std::uint64_t> sequence(text.begin(), text.end());
  return find_rounds(sequence);
}

void expect_rounds(std::string_view text, std::string_view repeated, std::size_t period) {
  Rounds r = rounds_of(text);
  EXPECT_EQ(text.substr(r.begin, r.end - r.begin), repeated);
  EXPECT_EQ(r.period, period) << text;
}

TEST(Rounds, TheLongestRepeatedPartAndItsShortestPeriod) {
  expect_rounds("abcdcdcde", "cdcdcd", 2);
  expect_rounds("aaaaa", "aaaaa", 1);
  expect_rounds("abcabc", "abcabc", 3);
  expect_rounds("xyzaabaabaabq", "aabaabaab", 3);
  expect_rounds("ab", "", 0);
  expect_rounds("", "", 0);
}

TEST(Rounds, AnUnfinishedRoundBelongsToThem) { expect_rounds("abcabcab", "abcabcab", 3); }

// Main creates two threads. Each does something first, and then loops.
FakeRun two_loops(int rounds) {
  FakeRun run;
  run.step(0, read_at(kX, 1), 0x40);
  run.step(1, read_at(kX, 2), 0x40);
  for (std::uint16_t thread : {1, 2}) {
    for (int i = 0; i < rounds; ++i) {
      run.step(thread, read_at(kX, 10u * thread), 0x40);
      run.step(thread, write_at(kX, 10u * thread + 1), 0x40);
    }
  }
  return run;
}

std::string threads_of(const Schedule& schedule) {
  std::string text;
  for (const Decision& d : schedule.prefix) {
    EXPECT_EQ(d.check, EventCheck());
    text += std::to_string(d.thread);
  }
  return text;
}

TEST(Turns, BeginWithOneRoundEachEitherThreadFirst) {
  Turns turns;
  FakeRun run = two_loops(3);
  turns.add(run.summary(), record_order(run.summary()));
  Random random(1);
  Schedule first;
  Schedule second;
  ASSERT_TRUE(turns.take(random, false, first));
  ASSERT_TRUE(turns.take(random, false, second));
  EXPECT_TRUE(first.guided);
  EXPECT_EQ(first.scheduler, SchedulerKind::kSteady);
  EXPECT_EQ(threads_of(first), "01112211221122");
  EXPECT_EQ(threads_of(second), "01221122112211");
}

TEST(Turns, GoOnWithOtherPhasesAndNumbersOfRounds) {
  Turns turns;
  FakeRun run = two_loops(6);
  turns.add(run.summary(), record_order(run.summary()));
  Random random(1);
  bool shifted = false;
  bool doubled = false;
  for (int i = 0; i < 100; ++i) {
    Schedule schedule;
    ASSERT_TRUE(turns.take(random, false, schedule));
    std::string order = threads_of(schedule);
    EXPECT_EQ(std::count(order.begin(), order.end(), '1'), 13);
    EXPECT_EQ(std::count(order.begin(), order.end(), '2'), 12);
    shifted |= order.find("01111221122") == 0;
    doubled |= order.find("221111221111") != std::string::npos;
  }
  EXPECT_TRUE(shifted);
  EXPECT_TRUE(doubled);
}

TEST(Turns, NeedTwoThreadsThatLoop) {
  Turns turns;
  FakeRun run;
  run.step(1, read_at(kX, 1), 0x40).step(1, read_at(kX, 1), 0x40).step(2, read_at(kX, 3), 0x40);
  turns.add(run.summary(), record_order(run.summary()));
  Random random(1);
  Schedule schedule;
  EXPECT_FALSE(turns.take(random, false, schedule));
}

TEST(Rounds, AllPartsThatRepeatTheLongestFirst) {
  std::string_view text = "ababxcdcdcdcdyeeez";
  std::vector<std::uint64_t> sequence(text.begin(), text.end());
  std::vector<std::string> found;
  for (const Rounds& r : find_all_rounds(sequence, 3)) {
    found.emplace_back(text.substr(r.begin, r.end - r.begin));
  }
  EXPECT_EQ(found, (std::vector<std::string>{"cdcdcdcd", "eee", "abab"}));
  EXPECT_EQ(find_all_rounds(sequence, 2).size(), 2u);
  EXPECT_TRUE(find_all_rounds({}, 3).empty());
}

// Thread 1 reads `first` and writes `second`, thread 2 the other way round, after noise of their
// own. Each round is at places of its own in code, as in a loop that a compiler has unrolled.
FakeRun two_unrolled_loops(const Location& first, const Location& second) {
  FakeRun run;
  run.step(0, read_at(kX, 1), 0x40);
  for (std::uint16_t thread : {1, 2}) {
    for (std::uint32_t i = 0; i < 9; ++i) {
      run.step(thread, write_at(variable(0x400u + 64u * thread), 5), 0x400u + 64u * thread);
    }
    const Location& read = thread == 1 ? first : second;
    const Location& written = thread == 1 ? second : first;
    for (std::uint32_t i = 0; i < 3; ++i) {
      run.step(thread, read_at(read, 100u * thread + 2 * i), read.offset);
      run.step(thread, write_at(written, 100u * thread + 2 * i + 1), written.offset);
    }
  }
  return run;
}

TEST(Turns, LoopsThatFeedEachOtherComeFirstAndOnce) {
  Turns turns;
  FakeRun run = two_unrolled_loops(kX, kY);
  turns.add(run.summary(), record_order(run.summary()));
  turns.add(run.summary(), record_order(run.summary()));
  Random random(1);
  Schedule first;
  Schedule second;
  Schedule third;
  ASSERT_TRUE(turns.take(random, true, first));
  ASSERT_TRUE(turns.take(random, true, second));
  EXPECT_FALSE(turns.take(random, true, third));
  std::string noise = "0111111111222222222";
  EXPECT_EQ(threads_of(first), noise + "112211221122");
  EXPECT_EQ(threads_of(second), "0222222222111111111221122112211");
}

TEST(Turns, ALoopThatSharesOnePlaceFeedsNobody) {
  Turns turns;
  FakeRun run = two_unrolled_loops(kX, kX);
  turns.add(run.summary(), record_order(run.summary()));
  Random random(1);
  Schedule schedule;
  EXPECT_FALSE(turns.take(random, true, schedule));
}

}  // namespace
}  // namespace rff
