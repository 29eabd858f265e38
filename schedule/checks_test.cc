#include "schedule/checks.h"

#include <gtest/gtest.h>

namespace rff {
namespace {

TEST(Checks, WordsAreReadAndWritten) {
  EXPECT_EQ(parse_check_words("none"), 0u);
  EXPECT_EQ(parse_check_words("memory"), kCheckMemory);
  EXPECT_EQ(parse_check_words("strict,memory"), kCheckMemory | kCheckStrict);
  EXPECT_EQ(check_words(kCheckMemory | kCheckStrict), "memory,strict");
  EXPECT_EQ(parse_check_words("stack,memory"), kCheckMemory | kCheckStack);
  EXPECT_EQ(check_words(kCheckMemory | kCheckStack), "memory,stack");
  EXPECT_EQ(check_words(0), "none");
}

TEST(Checks, StrictImpliesMemory) {
  EXPECT_EQ(parse_check_words("strict"), kCheckMemory | kCheckStrict);
}

TEST(Checks, OtherWordsAreRefused) {
  for (const char* text :
       {"", "heap", "memory,", ",memory", "memory,none", "Memory", "memory ", "stacks"}) {
    EXPECT_FALSE(parse_check_words(text)) << text;
  }
}

TEST(Checks, TheLaunchersTextIsReadBack) {
  Checks checks{kCheckMemory, 7, {}, {{1, 2, 3}, {1, 3, 9}, {4, 0, 1}}};
  EXPECT_EQ(checks_from_text(checks_to_text(checks)), checks);
  EXPECT_EQ(checks_from_text(checks_to_text({})), Checks{});
}

TEST(Checks, ADamagedTextIsRefused) {
  for (const char* text : {"", "1", "1;", "1;0;", "8;64;", "1;64;3", "1;64;1:3-2;",
                           "1;64;1:1-2;0:1-2;", "x;64;", "1;64;1:1-2"}) {
    EXPECT_FALSE(checks_from_text(text)) << text;
  }
}

}  // namespace
}  // namespace rff
