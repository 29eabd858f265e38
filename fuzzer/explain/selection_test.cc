// Tests the selection of events on runs made by hand.
#include "fuzzer/explain/selection.h"

#include <gtest/gtest.h>

namespace rff {
namespace {

class SelectionTest : public testing::Test {
 protected:
  // A change of thread means that the previous thread was preempted.
  void event(std::uint32_t thread, OpKind op, std::uint64_t address, std::uint64_t value = 0,
             std::uint64_t reads_from = 0) {
    auto& events = run_.trace.events;
    trace::EventInfo e{};
    e.step = events.size() + 1;
    e.thread = thread;
    e.flags = trace::kSchedulingPoint | trace::kValueKnown;
    e.event.op = op;
    e.event.size = 8;
    e.address = address;
    e.value = value;
    if (reads_from != 0) {
      e.flags |= trace::kReadsFromKnown;
      e.reads_from = reads_from;
    }
    bool switched = !events.empty() && events.back().thread != thread;
    if (switched) {
      e.flags |= trace::kSwitchedHere;
    }
    run_.trace.decisions.push_back({.step = e.step - 1,
                                    .thread = thread,
                                    .enabled = 2,
                                    .previous = switched ? events.back().thread : thread,
                                    .preempted = switched ? 1u : 0u});
    events.push_back(e);
  }
  std::vector<std::uint64_t> told_steps() {
    std::vector<std::uint64_t> steps;
    Storyteller teller(run_.trace, debug_);
    story_ = tell_story(run_, teller, &left_out_);
    for (const StoryEvent& e : story_) {
      steps.push_back(e.step);
    }
    return steps;
  }

  rff::Run run_;
  DebugInfo debug_;
  std::vector<StoryEvent> story_;
  std::size_t left_out_ = 0;
};

constexpr std::uint64_t kShared = 0x1000;
constexpr std::uint64_t kMine = 0x2000;
constexpr std::uint64_t kYours = 0x3000;

TEST_F(SelectionTest, PrivateStepsAroundASwitchAreNotToldButTheSwitchIs) {
  event(1, OpKind::kWrite, kShared, 1);
  event(1, OpKind::kWrite, kMine, 1);
  event(2, OpKind::kWrite, kYours, 1);
  event(1, OpKind::kWrite, kMine, 2);
  event(2, OpKind::kRead, kShared, 1, 1);
  run_.finding.kind = FindingKind::kAssert;
  ASSERT_EQ(told_steps(), (std::vector<std::uint64_t>{1, 5}));
  EXPECT_TRUE(story_[1].switched && story_[1].preempted);
  EXPECT_EQ(story_[1].switch_step, 3u) << "where the first thread was stopped first";
  EXPECT_EQ(story_[1].left_out, 1u);
  EXPECT_EQ(story_[1].left_out_of_others, 2u);
}

TEST_F(SelectionTest, AHangShowsThePartWithoutProgressOnce) {
  event(1, OpKind::kWrite, kMine, 1);
  event(2, OpKind::kWrite, kYours, 1);
  for (int i = 0; i < 10; ++i) {
    for (int n = 0; n <= i % 3; ++n) {
      event(1, OpKind::kRead, kYours, 1, 2);
    }
    event(2, OpKind::kRead, kMine, 1, 1);
  }
  run_.finding.kind = FindingKind::kHang;
  ASSERT_EQ(told_steps(), (std::vector<std::uint64_t>{1, 2, 3, 4}));
  EXPECT_EQ(story_[2].repeated_times, 18u);
  EXPECT_EQ(story_[3].repeated_times, 9u);
}

TEST_F(SelectionTest, ArgumentsOfAThreadAreLeftOutAndLaterValuesAreShown) {
  run_.trace.threads.resize(2);
  run_.trace.threads[1].info = {.thread = 1, .parent = 0};
  event(0, OpKind::kWrite, kMine, 1);
  event(0, OpKind::kThreadCreate, 0);
  event(0, OpKind::kWrite, kShared, 1);
  event(1, OpKind::kThreadStart, 0);
  event(1, OpKind::kRead, kMine, 1, 1);
  event(1, OpKind::kRead, kShared, 1, 3);
  run_.finding.kind = FindingKind::kAssert;
  EXPECT_EQ(told_steps(), (std::vector<std::uint64_t>{3, 6}));
}

TEST_F(SelectionTest, ALongStoryShowsItsEnd) {
  for (std::uint64_t i = 1; i <= 2 * kLongestStory; i += 2) {
    event(1, OpKind::kWrite, kShared, i);
    event(2, OpKind::kRead, kShared, i, i);
  }
  run_.finding.kind = FindingKind::kAssert;
  std::vector<std::uint64_t> steps = told_steps();
  EXPECT_EQ(steps.size(), kLongestStory);
  EXPECT_EQ(left_out_, kLongestStory);
  EXPECT_EQ(steps.back(), 2 * kLongestStory);
}

}  // namespace
}  // namespace rff
