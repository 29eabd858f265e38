#include "fuzzer/explain/program_message.h"

#include <gtest/gtest.h>

namespace rff {
namespace {

std::string known(std::string_view printed) {
  ProgramMessage m = program_message(printed);
  return m.known ? m.text : "not known: " + m.text;
}

TEST(ProgramMessage, KnowsGoogleTest) {
  EXPECT_EQ(known("[ RUN      ] Counter.Adds\n"
                  "/src/t.cc:5: Failure\n"
                  "Expected equality of these values:\n"
                  "  counter\n"
                  "    Which is: 1\n"
                  "  2\n"
                  "\n"
                  "[  FAILED  ] Counter.Adds (0 ms)\n"),
            "t.cc:5: Expected equality of these values: counter, 2");
  EXPECT_EQ(known("t.cc:9: Failure\nValue of: done\n  Actual: false\nExpected: true\n"),
            "t.cc:9: Value of: done, Actual: false, Expected: true");
}

TEST(ProgramMessage, KnowsCatch2AndDoctestAndBoost) {
  EXPECT_EQ(known("...............\n\nt.cpp:6: FAILED:\n  REQUIRE( counter == 2 )\n"
                  "with expansion:\n  1 == 2\n\n=====\n"),
            "t.cpp:6: REQUIRE( counter == 2 ), with expansion: 1 == 2");
  EXPECT_EQ(known("\x1b[0mt.cpp:6: \x1b[31mERROR: \x1b[0mCHECK( counter == 2 ) is NOT correct!\n"
                  "  values: CHECK( 1 == 2 )\n\n"),
            "t.cpp:6: CHECK( counter == 2 ) is NOT correct, values: CHECK( 1 == 2 )");
  EXPECT_EQ(known("t.cpp(12): error: in \"adds\": check a == b has failed [1 != 2]\n"),
            "t.cpp:12: check a == b has failed [1 != 2]");
}

TEST(ProgramMessage, KnowsPanicsChecksAndSanitizers) {
  EXPECT_EQ(known("thread 'main' panicked at src/main.rs:5:9:\n"
                  "assertion `left == right` failed\n  left: 1\n right: 2\n"
                  "note: run with `RUST_BACKTRACE=1` environment variable\n"),
            "main.rs:5: assertion `left == right` failed, left: 1, right: 2");
  EXPECT_EQ(known("thread '<unnamed>' panicked at 'lost', src/main.rs:5:9\n"), "main.rs:5: lost");
  EXPECT_EQ(known("F1116 16:15:45.000000  1234 t.cc:5] Check failed: x == y (1 vs. 2)\n"),
            "t.cc:5: Check failed: x == y (1 vs. 2)");
  EXPECT_EQ(known("==7==ERROR: AddressSanitizer: heap-use-after-free on address 0x60 at pc 0x4\n"),
            "AddressSanitizer: heap-use-after-free");
  EXPECT_EQ(known("t.c:4:7: runtime error: shift exponent 40 is too large\n"),
            "t.c:4: runtime error: shift exponent 40 is too large");
  EXPECT_EQ(known("terminate called after throwing an instance of 'std::runtime_error'\n"
                  "  what():  boom\n"),
            "uncaught exception std::runtime_error: boom");
  EXPECT_EQ(known("prog: t.c:5: main: Assertion `x == 1' failed.\n"),
            "t.c:5: assertion `x == 1' failed");
}

TEST(ProgramMessage, TheFirstFailureCounts) {
  EXPECT_EQ(known("a.cc:1: Failure\nFailed\n\nb.cc:2: Failure\nFailed\n"), "a.cc:1: Failed");
}

TEST(ProgramMessage, ElseItIsTheLastLineAndSaysSo) {
  ProgramMessage m = program_message("one\nthe queue is full\n\n");
  EXPECT_EQ(m.text, "the queue is full");
  EXPECT_FALSE(m.known);
  EXPECT_EQ(program_message("").text, "");
  EXPECT_EQ(program_message(std::string(5000, 'x')).text.size(), 303u);
}

TEST(ProgramMessage, BecomesTheSummaryOfWhatTheProgramEndedItself) {
  Finding exited{.kind = FindingKind::kExit};
  EXPECT_EQ(summary_with_message(exited, "exit status 1", {"t.cc:5: Failed", true}),
            "t.cc:5: Failed");
  EXPECT_EQ(summary_with_message(exited, "exit status 1", {"bad", false}), "exit status 1: bad");
  Finding locked{.kind = FindingKind::kDeadlock};
  EXPECT_EQ(summary_with_message(locked, "deadlock", {"bad", false}), "deadlock");
}

}  // namespace
}  // namespace rff
