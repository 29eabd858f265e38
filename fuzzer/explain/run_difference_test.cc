#include "fuzzer/explain/run_difference.h"

#include <gtest/gtest.h>

namespace rff {
namespace {

trace::EventInfo event(std::uint64_t step, std::uint64_t value) {
  trace::EventInfo e{};
  e.step = step;
  e.flags = trace::kValueKnown;
  e.event.op = OpKind::kRead;
  e.event.size = 4;
  e.value = value;
  return e;
}

Run run_of(std::vector<trace::EventInfo> events, std::string output = "") {
  Run run;
  run.trace.threads.push_back({{}, "main"});
  run.trace.events = std::move(events);
  run.output = std::move(output);
  return run;
}

std::optional<RunDifference> compare(const Run& first, const Run& second) {
  DebugInfo debug;
  return difference_of({first, {}}, {second, {}}, debug);
}

TEST(RunDifference, IsNoneForEqualRuns) {
  EXPECT_FALSE(compare(run_of({event(1, 5)}, "a"), run_of({event(1, 5)}, "a")));
}

TEST(RunDifference, IsTheFirstValueThatDiffers) {
  auto d = compare(run_of({event(1, 5), event(2, 6), event(3, 7)}),
                   run_of({event(1, 5), event(2, 9), event(3, 8)}));
  ASSERT_TRUE(d);
  EXPECT_EQ(d->event, 2u);
  EXPECT_EQ(d->thread, "main");
  EXPECT_EQ(d->first, "6");
  EXPECT_EQ(d->second, "9");
}

TEST(RunDifference, IsSeenInValuesThatAnUpdateRead) {
  trace::EventInfo one = event(1, 5), other = event(1, 5);
  one.flags |= trace::kReadValueKnown;
  other.flags |= trace::kReadValueKnown;
  one.read_value = 3;
  other.read_value = 4;
  auto d = compare(run_of({one}), run_of({other}));
  ASSERT_TRUE(d);
  EXPECT_EQ(d->first, "3");
  EXPECT_EQ(d->second, "4");
}

TEST(RunDifference, IsSeenInContents) {
  trace::EventInfo one = event(1, 5), other = event(1, 6);
  one.flags = other.flags = trace::kContentKnown;
  one.event.size = other.event.size = 100;
  auto d = compare(run_of({one}), run_of({other}));
  ASSERT_TRUE(d);
  EXPECT_EQ(d->first, "some 100 bytes");
  EXPECT_EQ(d->second, "others");
}

TEST(RunDifference, TellsARunThatEndsEarlier) {
  auto d = compare(run_of({event(1, 5)}), run_of({event(1, 5), event(2, 6)}));
  ASSERT_TRUE(d);
  EXPECT_EQ(d->event, 2u);
  EXPECT_EQ(d->first, "the end of the run");
}

TEST(RunDifference, IsTheOutputIfNoEventDiffers) {
  auto d =
      compare(run_of({event(1, 5)}, "same\nvalue 1\n"), run_of({event(1, 5)}, "same\nvalue 2\n"));
  ASSERT_TRUE(d);
  EXPECT_EQ(d->event, 0u);
  EXPECT_EQ(d->first, "'value 1'");
  EXPECT_EQ(d->second, "'value 2'");
}

}  // namespace
}  // namespace rff
