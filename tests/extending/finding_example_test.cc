// A finding kind and an object to wait for, added by finding_example.patch: this file, schedule/
// and the words are compiled with it.
#include <gtest/gtest.h>

#include "fuzzer/common/finding_words.h"

namespace rff {
namespace {

Finding after_file(const Finding& finding) {
  Schedule schedule;
  schedule.finding = finding;
  DecodeResult read = decode_schedule(encode_schedule(schedule));
  EXPECT_EQ(read.error, "");
  return read.schedule && read.schedule->finding ? *read.schedule->finding : Finding{};
}

TEST(FindingExample, AKindHasANameAPlaceInFilesAndWords) {
  Finding misuse;
  misuse.kind = FindingKind::kMisuse;
  misuse.failure.facts.address = 0x40;
  EXPECT_EQ(after_file(misuse), misuse);
  EXPECT_EQ(finding_name(misuse.kind), "misuse");
  EXPECT_EQ(finding_from_name("misuse"), FindingKind::kMisuse);
  EXPECT_EQ(finding_words(misuse), "misuse of the object at 0x40");
  EXPECT_FALSE(fails_together(misuse.kind));
}

TEST(FindingExample, AnObjectToWaitForHasAPlaceInFilesAndWords) {
  FailureWait wait;
  wait.object = WaitObject::kGate;
  wait.thread_name = "main.1";
  wait.site = {9, 0x20};
  Finding deadlock;
  deadlock.kind = FindingKind::kDeadlock;
  deadlock.failure.modules = {{9, "prog"}};
  deadlock.failure.waits = {wait};
  EXPECT_EQ(after_file(deadlock), deadlock);
  EXPECT_EQ(finding_words(deadlock),
            "deadlock: thread main.1 waits for a gate to be opened in prog+0x20");
  EXPECT_EQ(wait_words(WaitObject::kGate, "`g`"), "gate `g` to be opened");
}

}  // namespace
}  // namespace rff
