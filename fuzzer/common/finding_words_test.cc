#include "fuzzer/common/finding_words.h"

#include <gtest/gtest.h>
#include <signal.h>

namespace rff {
namespace {

constexpr std::uint32_t kProg = 9;
constexpr std::uint32_t kLibc = 10;

Finding finding(FindingKind kind) {
  Finding f;
  f.kind = kind;
  f.failure.modules = {{kProg, "prog.patched"}, {kLibc, "libc.so.6"}};
  return f;
}

FailureWait wait_of(std::uint32_t thread, const std::string& name, WaitObject object,
                    std::uint32_t site) {
  FailureWait w;
  w.thread = thread;
  w.thread_name = name;
  w.object = object;
  w.site = {kProg, site};
  return w;
}

Finding crash(int signal, std::uint16_t flags, const std::string& words = "") {
  Finding f = finding(FindingKind::kCrash);
  f.failure.facts = {.flags = flags, .signal = signal, .address = 0x10, .inside = {kLibc, 0x99}};
  f.failure.words = words;
  return f;
}

TEST(FindingWords, Crashes) {
  EXPECT_EQ(finding_words(crash(SIGSEGV, kAccessedAddress)), "SIGSEGV, address 0x10");
  EXPECT_EQ(finding_words(crash(SIGSEGV, kStackOverflow | kAccessedAddress)),
            "SIGSEGV (stack overflow), address 0x10");
  EXPECT_EQ(finding_words(crash(SIGSEGV, kInsideLibrary | kAccessedAddress)),
            "SIGSEGV in libc.so.6+0x99, address 0x10");
  EXPECT_EQ(finding_words(crash(SIGSEGV, kCalledAddress)), "SIGSEGV by a call of 0x10");
  EXPECT_EQ(finding_words(crash(SIGABRT, kInsideLibrary, "free(): invalid pointer")),
            "SIGABRT (free(): invalid pointer) in libc.so.6+0x99");
  EXPECT_EQ(finding_words(crash(SIGSEGV, kBadFreeList)),
            "SIGSEGV (the cache of freed blocks holds an address of nothing)");
  EXPECT_EQ(finding_words(crash(SIGFPE, 0)), "SIGFPE");
}

TEST(FindingWords, AbortsAndExceptions) {
  Finding f = crash(SIGABRT, 0);
  f.failure.facts.cause = CrashCause::kAbort;
  EXPECT_EQ(finding_words(f), "abort called");
  f.failure.facts.flags = kInsideLibrary;
  EXPECT_EQ(finding_words(f), "abort called in libc.so.6+0x99");
  f.failure.facts.cause = CrashCause::kException;
  f.failure.words = "St13runtime_error";
  EXPECT_EQ(finding_words(f), "uncaught exception std::runtime_error");
  f.failure.words = "not mangled";
  EXPECT_EQ(finding_words(f), "uncaught exception not mangled");
}

TEST(FindingWords, AssertionsAndExits) {
  Finding f = finding(FindingKind::kAssert);
  f.failure.words = "a.c:3: main: assertion `x' failed";
  EXPECT_EQ(finding_words(f), "a.c:3: main: assertion `x' failed");
  Finding e = finding(FindingKind::kExit);
  e.failure.facts.exit_status = 3;
  EXPECT_EQ(finding_words(e), "exit status 3");
}

TEST(FindingWords, DeadlocksNameThreadsThatJoinLast) {
  Finding f = finding(FindingKind::kDeadlock);
  EXPECT_EQ(finding_words(f), "deadlock");
  FailureWait joins = wait_of(0, "main", WaitObject::kThreadEnd, 0x30);
  joins.op = OpKind::kThreadJoin;
  joins.holder = 1;
  joins.holder_name = "main.1";
  FailureWait held = wait_of(1, "main.1", WaitObject::kMutex, 0x10);
  held.holder = 2;
  held.holder_name = "main.2";
  held.held_since = {kProg, 0x20};
  FailureWait own = wait_of(2, "main.2", WaitObject::kReadWriteLockToWrite, 0x11);
  own.holder = 2;
  f.failure.waits = {joins, held, own, wait_of(3, "main.3", WaitObject::kBarrier, 0x12)};
  EXPECT_EQ(finding_words(f),
            "deadlock: thread main.1 waits for a mutex in prog.patched+0x10, held by thread main.2 "
            "since prog.patched+0x20; thread main.2 waits for a read-write lock, to write in "
            "prog.patched+0x11, which it holds itself; thread main.3 waits for the other threads "
            "at a barrier in prog.patched+0x12; thread main waits for thread main.1 to end, in "
            "prog.patched+0x30");
  auto code = [](const CodeUse& use) { return "line " + std::to_string(use.code.offset); };
  EXPECT_TRUE(short_finding_words(f, code).starts_with(
      "thread main.1 waits for a mutex in line 16, held by thread main.2 since line 32; "));
}

TEST(FindingWords, HangsNameTheReadsThatAreElsewhere) {
  Finding f = finding(FindingKind::kHang);
  f.failure.waits = {wait_of(0, "main", WaitObject::kNone, 0x10),
                     wait_of(1, "main.1", WaitObject::kNone, 0x20)};
  f.failure.repeated_reads = {{0, 0, {kProg, 0x10}}, {1, 0, {kProg, 0x22}}, {1, 0, {kProg, 0x21}}};
  EXPECT_EQ(finding_words(f),
            "hang: the same state for ever in thread main in prog.patched+0x10; thread main.1 in "
            "prog.patched+0x20 (reads the same at prog.patched+0x21, prog.patched+0x22)");
  EXPECT_TRUE(short_finding_words(f, [](const CodeUse&) {
                return "f";
              }).starts_with("the same state for ever in thread main in f; "));
}

TEST(FindingWords, ManyThreadsAreCutAfterAWholeOne) {
  Finding f = finding(FindingKind::kDeadlock);
  for (std::uint32_t i = 0; i < 40; ++i) {
    f.failure.waits.push_back(wait_of(i, "main.1", WaitObject::kMutex, 0x10));
  }
  std::string text = short_finding_words(f, [](const CodeUse&) { return "f"; });
  EXPECT_TRUE(text.ends_with("thread main.1 waits for a mutex in f; ..."));
  EXPECT_LT(text.size(), 1023u);
}

TEST(FindingWords, RunsThatDidNotEndNameTheFirstThreads) {
  Finding f;
  for (std::uint32_t i = 0; i < 3000; ++i) {
    f.failure.waits.push_back(wait_of(i, "main.1", WaitObject::kMutex, 0x10));
  }
  std::string text = finding_words(f);
  EXPECT_TRUE(text.ends_with("thread main.1 waits for a mutex in 0x10; and 2992 more")) << text;
  EXPECT_LT(text.size(), 1000u);
}

TEST(FindingWords, RunsThatAreNoFailures) {
  Finding f;
  EXPECT_EQ(finding_words(f), "");
  f.failure.divergence = DivergenceFacts{2, 5, DivergenceCause::kCannotRun};
  EXPECT_EQ(finding_words(f), "decision 3 cannot be followed: thread 5 cannot run here");
  f.failure.divergence->cause = DivergenceCause::kOtherEvent;
  EXPECT_EQ(finding_words(f),
            "decision 3 cannot be followed: thread 5 is about to do something else");
}

TEST(FindingWords, AFileOfVersion2HasItsOwnWords) {
  Finding f = finding(FindingKind::kDeadlock);
  f.failure.version_2_text = "deadlock: thread main waits";
  EXPECT_EQ(finding_words(f), "deadlock: thread main waits");
}

TEST(WaitWords, NamesStandWithTheirNouns) {
  EXPECT_EQ(wait_words(WaitObject::kSemaphore), "a semaphore to be posted");
  EXPECT_EQ(wait_words(WaitObject::kSemaphore, "`free`"), "semaphore `free` to be posted");
  EXPECT_EQ(wait_words(WaitObject::kMutex, "offset 8 of a block"), "a mutex (offset 8 of a block)");
  EXPECT_EQ(wait_words(WaitObject::kBarrier, "`b`"), "the other threads at barrier `b`");
  EXPECT_EQ(wait_words(WaitObject::kReadWriteLockToRead, "`l`"), "read-write lock `l`, to read");
  EXPECT_EQ(wait_words(WaitObject::kStaticVariable, "`v`"),
            "the initialization of static variable `v`");
  EXPECT_EQ(wait_words(WaitObject::kSignal, "`s`"), "a signal (`s`)");
  EXPECT_EQ(wait_words(WaitObject::kNone), "?");
}

}  // namespace
}  // namespace rff
