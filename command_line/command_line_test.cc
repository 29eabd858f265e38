#include "command_line/command_line.h"

#include <gtest/gtest.h>

#include <cmath>
#include <optional>

namespace rff {
namespace {

using Words = std::vector<std::string>;

// A program with one option of each kind.
struct Example {
  bool force = false;
  std::uint32_t number = 0;
  std::optional<std::uint64_t> seed;
  std::string mode = "auto", fruit, file;
  Words extra;
  CommandLine line;

  explicit Example(bool runs_a_program = true, bool has_file = false)
      : line({.program = "example",
              .usage = "example [options] [--] PROG",
              .description = "",
              .footer = "",
              .runs_a_program = runs_a_program}) {
    line.flag("--force", force, "");
    line.whole("-n,--number", number, 1, 64, {"N", ""});
    line.whole("--seed", seed, 0, ~std::uint64_t{0}, {"N", ""});
    line.option_with_bare("--mode", "yes",
                          [this](const std::string& value) {
                            mode = value;
                            return value == "no" || value == "yes" ? std::string() : "yes or no";
                          },
                          {"WHEN", ""});
    line.one_of("--fruit", {"apple", "pear", "plum"}, [this](auto& w) { fruit = w; }, {"F", ""});
    line.texts("--extra", extra, {"WORD", ""});
    if (has_file) line.word("FILE", file, "");
  }
  bool parse(Words words) {
    std::vector<const char*> argv = {"example"};
    for (const std::string& w : words) argv.push_back(w.c_str());
    return line.parse(static_cast<int>(argv.size()), argv.data());
  }
  std::string refusal(const Words& words) {
    try {
      parse(words);
      return "taken";
    } catch (const UsageError& e) {
      return e.what();
    }
  }
};

TEST(CommandLine, TheFirstWordThatIsNoOptionEndsOurs) {
  Example e;
  EXPECT_TRUE(e.parse({"--force", "-n", "7", "prog", "-n", "x", "--", "--force"}));
  EXPECT_TRUE(e.force);
  EXPECT_EQ(e.number, 7u);
  EXPECT_EQ(e.line.command(), (Words{"prog", "-n", "x", "--", "--force"}));
}

TEST(CommandLine, DashesEndOursToo) {
  Example e;
  EXPECT_TRUE(e.parse({"--", "--force", "--", "x"}));
  EXPECT_FALSE(e.force);
  EXPECT_EQ(e.line.command(), (Words{"--force", "--", "x"}));
}

TEST(CommandLine, WordsOfOurOwnComeBeforeTheProgramAndAmongTheOptions) {
  Example e(true, true);
  EXPECT_TRUE(e.parse({"file", "--force", "prog", "--force"}));
  EXPECT_EQ(e.file, "file");
  EXPECT_EQ(e.line.command(), (Words{"prog", "--force"}));
  EXPECT_EQ(Example(true, true).refusal({"--", "prog"}),
            "no FILE given: example [options] [--] PROG");
  Example alone(false, true);
  EXPECT_TRUE(alone.parse({"--", "-n"}));
  EXPECT_EQ(alone.file, "-n");
  EXPECT_EQ(Example(false, true).refusal({"a", "b"}),
            "b: one word too many: example [options] [--] PROG");
}

TEST(CommandLine, ValuesMayBeAttachedOrFollowAndMayBeginWithADash) {
  for (const Words& words : {Words{"-n5"}, {"-n", "5"}, {"--number=5"}, {"--number", "5"}}) {
    Example e;
    EXPECT_TRUE(e.parse(words));
    EXPECT_EQ(e.number, 5u);
  }
  Example e;
  EXPECT_TRUE(e.parse({"--extra", "-batch", "--extra=", "--seed", "18446744073709551615"}));
  EXPECT_EQ(e.extra, (Words{"-batch", ""}));
  EXPECT_EQ(e.seed, ~std::uint64_t{0});
}

TEST(CommandLine, AnOptionalValueComesAfterEqualsOnly) {
  Example e;
  EXPECT_TRUE(e.parse({"--mode", "no"}));
  EXPECT_EQ(e.mode, "yes");
  EXPECT_EQ(e.line.command(), (Words{"no"}));
  Example other;
  EXPECT_TRUE(other.parse({"--mode=no"}));
  EXPECT_EQ(other.mode, "no");
  EXPECT_EQ(Example().refusal({"--mode=maybe"}), "--mode=maybe: must be yes or no");
}

TEST(CommandLine, RefusalsNameTheOptionTheValueAndWhatIsAllowed) {
  std::string range = ": must be a whole number from 1 to 64";
  EXPECT_EQ(Example().refusal({"-n", "abc"}), "-n abc" + range);
  EXPECT_EQ(Example().refusal({"-n", "-5"}), "-n -5" + range);
  EXPECT_EQ(Example().refusal({"--number=65"}), "--number=65" + range);
  EXPECT_EQ(Example().refusal({"-n", ""}), "-n ''" + range);
  EXPECT_EQ(Example().refusal({"--fruit", "nut"}), "--fruit nut: must be apple, pear or plum");
  EXPECT_EQ(Example().refusal({"-n"}), "-n: its value is missing (-n N)");
  EXPECT_EQ(Example().refusal({"-n", "--", "p"}), "-n: its value is missing (-n N)");
  EXPECT_EQ(Example().refusal({"-n", "1", "-n", "1"}), "-n: given twice; once is enough");
  EXPECT_EQ(Example().refusal({"--force=no"}), "--force=no: --force takes no value");
  EXPECT_EQ(Example().refusal({"--forse"}),
            "--forse: no such option; did you mean --force? (see example --help)");
  EXPECT_EQ(Example().refusal({"-x"}), "-x: no such option (see example --help)");
}

TEST(CommandLine, WordsOfUsersStayOnOneShortLine) {
  std::string refusal = Example().refusal({"--fruit", std::string(500, 'x') + "\nand more"});
  EXPECT_EQ(refusal, "--fruit " + std::string(40, 'x') + "...: must be apple, pear or plum");
  EXPECT_EQ(shown("a\nb\x7f"), "a?b?");
}

TEST(CommandLine, ReadsTimes) {
  auto seconds = [](const std::string& text) {
    double result = NAN;
    return read_seconds(text, 0, result).empty() ? result : -1;
  };
  EXPECT_EQ(seconds("1.5"), 1.5);
  EXPECT_EQ(seconds("90s"), 90);
  EXPECT_EQ(seconds("10m"), 600);
  EXPECT_EQ(seconds("8h"), 28800);
  EXPECT_EQ(seconds("0"), 0);
  for (const char* bad :
       {"", "s", "1e400", "-1", "nan", "inf", "0x10", "1d", "10 m", "1e9", "m5"}) {
    EXPECT_EQ(seconds(bad), -1) << bad;
  }
}

}  // namespace
}  // namespace rff
