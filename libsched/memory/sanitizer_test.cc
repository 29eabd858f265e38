// Unit tests of report_title: one line that says what a sanitizer reported.
#include "libsched/memory/sanitizer.h"

#include <gtest/gtest.h>

namespace rff {
namespace {

TEST(ReportTitle, NamesTheErrorAndTheAccess) {
  EXPECT_EQ(
      report_title("=================================================================\n"
                   "ERROR: AddressSanitizer: heap-use-after-free on address 0x606000000020 at "
                   "pc 0x5555 bp 0x7fff sp 0x7ffe\n"
                   "READ of size 4 at 0x606000000020 thread T1\n"),
      "AddressSanitizer: heap-use-after-free (READ of size 4)");
  EXPECT_EQ(report_title("ERROR: AddressSanitizer: attempting double-free on 0x602000000010 in "
                         "thread T1:\n"),
            "AddressSanitizer: attempting double-free");
}

TEST(ReportTitle, SaysWhatIsUndefinedWithoutItsPlace) {
  EXPECT_EQ(report_title("a.c:9:17: runtime error: signed integer overflow: 1 + 2 cannot be "
                         "represented in type 'int'\nSUMMARY: x\n"),
            "UndefinedBehaviorSanitizer: signed integer overflow: 1 + 2 cannot be represented in "
            "type 'int'");
}

TEST(ReportTitle, SaysHowMuchIsLost) {
  EXPECT_EQ(report_title("ERROR: LeakSanitizer: detected memory leaks\n\n"
                         "Direct leak of 100 byte(s) in 1 object(s) allocated from:\n"
                         "    #0 0x5555  (/tmp/prog+0x1189)\n\n"
                         "SUMMARY: AddressSanitizer: 100 byte(s) leaked in 1 allocation(s).\n"),
            "LeakSanitizer: 100 byte(s) leaked in 1 allocation(s)");
}

TEST(ReportTitle, IsTheFirstLineOfAnUnknownReport) {
  EXPECT_EQ(report_title("AddressSanitizer failed to allocate\nmore\n"),
            "AddressSanitizer failed to allocate");
}

}  // namespace
}  // namespace rff
