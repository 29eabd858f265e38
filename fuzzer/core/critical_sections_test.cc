#include "fuzzer/core/critical_sections.h"

#include <gtest/gtest.h>

#include "fuzzer/core/recorded_order.h"
#include "fuzzer/core/test_runs.h"

namespace rff {
namespace {

using namespace test_data;

const Location kMutex = variable(0x100), kNoise = variable(0x200);
constexpr std::uint16_t kUpdater = 1, kLooker = 2, kThird = 3;

// Builds a run of critical sections at one lock.
class Sections {
 public:
  template <typename Body>
  Sections& section(std::uint16_t thread, Body body) {
    run_.step(thread, object_event(OpKind::kLock, kMutex, 1), 0x100);
    body(run_);
    run_.step(thread, object_event(OpKind::kUnlock, kMutex, 2), 0x100);
    return *this;
  }
  Sections& write(std::uint16_t thread, const Location& x, std::uint64_t value) {
    return section(thread, [&](FakeRun& r) { r.step(thread, write_at(x, 10), x.offset, value); });
  }
  // Reads both variables, and the noise before them.
  Sections& look() {
    return section(kLooker, [](FakeRun& r) {
      r.step(kLooker, read_at(kNoise, 20), 0x200);
      r.step(kLooker, read_at(kX, 21), 0x40);
      r.step(kLooker, read_at(kY, 22), 0x80);
    });
  }
  FakeRun& run() { return run_; }

 private:
  FakeRun run_;
};

StepsByAddress writes_of(const RunSummary& run) {
  StepsByAddress writes;
  for (std::uint32_t i = 0; i < run.steps.size(); ++i) {
    if (run.events[run.steps[i].event].op == OpKind::kWrite) {
      writes[run.steps[i].address].push_back(i);
    }
  }
  return writes;
}

// A run and all that a SectionViews needs.
struct Views {
  explicit Views(FakeRun given) : run(std::move(given)) {}
  FakeRun run;
  RunSummary summary = run.summary();
  StepsByAddress writes = writes_of(summary);
  CriticalSections sections = find_sections(summary, record_order(summary).kept);
  SectionViews views{summary, sections, writes};
};

// The updater writes x, then y, in sections of their own (steps 0 to 11, three in each); the looker
// comes after them (12 to 16).
FakeRun two_updates_and_a_look() {
  return Sections()
      .write(kUpdater, kX, 1)
      .write(kUpdater, kY, 1)
      .write(kUpdater, kX, 2)
      .write(kUpdater, kY, 2)
      .look()
      .run();
}

TEST(CriticalSections, FromTheLockToItsRelease) {
  Views v(two_updates_and_a_look());
  EXPECT_EQ(v.sections.first[1], 0u);
  EXPECT_EQ(v.sections.last[1], 2u);
  EXPECT_EQ(v.sections.first[15], 12u);
  EXPECT_EQ(v.sections.last[15], 16u);
}

TEST(SectionViews, ReadsOfWhatOneThreadWritesBelongTogether) {
  Views v(two_updates_and_a_look());
  EXPECT_FALSE(v.views.together(13)) << "nobody writes the noise";
  EXPECT_TRUE(v.views.together(14));
  EXPECT_TRUE(v.views.together(15));
}

TEST(SectionViews, ReadsOfWhatSeveralThreadsWriteOneEachDoNot) {
  Views v(Sections().write(kUpdater, kX, 1).write(kThird, kY, 1).look().run());
  EXPECT_FALSE(v.views.together(8));
  EXPECT_FALSE(v.views.together(9));
}

TEST(SectionViews, WhatTheReaderWritesItselfBelongsToNothing) {
  Views v(Sections().write(kLooker, kX, 1).write(kLooker, kY, 1).look().run());
  EXPECT_FALSE(v.views.together(8));
}

TEST(SectionViews, ReadsOfWhatTheLockDoesNotGuardDoNot) {
  Sections sections;
  sections.write(kUpdater, kX, 1).write(kUpdater, kY, 1);
  sections.run().step(kThird, write_at(kY, 30), 0x80, 5);
  Views v(sections.look().run());
  EXPECT_FALSE(v.views.together(9));
  EXPECT_FALSE(v.views.together(10));
}

TEST(SectionViews, WordsMayBePreparedWithoutTheLock) {
  Sections sections;
  sections.run().step(0, write_at(kX, 30), 0x40, 5).step(0, write_at(kY, 31), 0x80, 5);
  Views v(sections.write(kUpdater, kX, 1).write(kUpdater, kY, 1).look().run());
  EXPECT_TRUE(v.views.together(10));
  EXPECT_TRUE(v.views.together(11));
}

TEST(SectionViews, DifferWhereAnyOfTheValuesDoes) {
  Views v(two_updates_and_a_look());
  const std::uint32_t read = 14;
  // After 0, 1, … sections of the updater.
  std::vector<std::uint64_t> seen;
  for (std::uint32_t place : {0, 3, 6, 9, 12}) {
    for (std::uint64_t earlier : seen) {
      EXPECT_NE(v.views.at(read, place), earlier) << place;
    }
    seen.push_back(v.views.at(read, place));
  }
  EXPECT_EQ(v.views.seen(read), seen.back());
  EXPECT_EQ(v.views.at(15, 6), v.views.at(14, 6)) << "one view for the section";
  EXPECT_EQ(v.views.at(read, 5), v.views.at(read, 6)) << "nothing was written in between";
}

TEST(SectionViews, LeaveOutWhatTheThreadDoesLater) {
  Sections sections;
  sections.look().write(kUpdater, kX, 1).write(kUpdater, kY, 1);
  Views without(sections.run());
  sections.write(kLooker, kX, 7);
  Views with(sections.run());
  ASSERT_TRUE(with.views.together(2));
  auto end = static_cast<std::uint32_t>(with.summary.steps.size());
  EXPECT_EQ(with.views.at(2, end), without.views.at(2, end - 3));
}

}  // namespace
}  // namespace rff
