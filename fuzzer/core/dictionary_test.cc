#include "fuzzer/core/dictionary.h"

#include <gtest/gtest.h>

namespace rff {
namespace {

TEST(Dictionary, LinesHaveAnOptionalNameAndEscapes) {
  ParsedDictionary d = parse_dictionary(
      "# a comment\n\nkey=\"GET \"\n  \"a\\\\b\\\"\\x00\\xFf\"  \r\nlevel@2=\"x\"");
  EXPECT_EQ(d.error, "");
  EXPECT_EQ(d.words, (std::vector<std::string>{"GET ", std::string("a\\b\"\0\xff", 6), "x"}));
}

TEST(Dictionary, ABadLineIsNamed) {
  EXPECT_EQ(parse_dictionary("\"a\"\nword\n").error, "line 2: a line is name=\"word\" or \"word\"");
  EXPECT_EQ(parse_dictionary("\"").error, "line 1: a line is name=\"word\" or \"word\"");
  EXPECT_EQ(parse_dictionary("\"\"").error, "line 1: the word is empty");
  EXPECT_EQ(parse_dictionary("k=\"\\q\"").error, "line 1: after a backslash comes \\, \" or xNN");
  EXPECT_EQ(parse_dictionary("k=\"\\x1\"").error, "line 1: after a backslash comes \\, \" or xNN");
}

}  // namespace
}  // namespace rff
