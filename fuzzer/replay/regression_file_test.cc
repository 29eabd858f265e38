#include "fuzzer/replay/regression_file.h"

#include <gtest/gtest.h>

namespace rff {
namespace {

RegressionFile made_up() {
  RegressionFile f;
  f.kind = "assert";
  f.failure = {"assert", "a\tb\\n"};
  f.program = "prog";
  f.arguments = {"two words", ""};
  f.timeouts = 5;
  f.processors = 4;
  f.exit_is_finding = true;
  f.events = {{"read", "f(int)", "x", 0}, {"write", "g", "x", 3}};
  f.constraints = {{1, 0, true}, {1, 0, false}};
  for (unsigned i = 0; i < 40; ++i) {
    f.order.push_back({i % 3, i % 2, i == 7});
  }
  return f;
}

TEST(RegressionFile, IsReadAsItWasWritten) {
  std::string error;
  EXPECT_EQ(decode_regression(encode_regression(made_up()), error), made_up()) << error;
}

TEST(RegressionFile, AnInputIsPartOfIt) {
  RegressionFile f = made_up();
  for (std::size_t size : {0, 1, 32, 100}) {
    f.input = {ProgramInput::Way::kVariable, "NAME", ""};
    for (std::size_t i = 0; i < size; ++i) {
      f.input.bytes += static_cast<char>(i * 77);
    }
    std::string text = encode_regression(f), error;
    EXPECT_EQ(decode_regression(text, error), f) << error;
    EXPECT_TRUE(text.starts_with("rff regression 2\n")) << "older tools refuse it";
  }
  EXPECT_TRUE(encode_regression(made_up()).starts_with("rff regression 1\n"));
  std::string text = encode_regression(f), error;
  for (const auto& [from, to] :
       {std::pair<std::string, std::string>{"input\tvariable", "input\tnone"},
        {"bytes\t00", "bytes\t0"},
        {"bytes\t00", "bytes\t0x"}}) {
    std::string damaged = text;
    damaged.replace(damaged.find(from), from.size(), to);
    EXPECT_FALSE(decode_regression(damaged, error)) << to;
    EXPECT_TRUE(error.starts_with("damaged in line ")) << error;
  }
}

TEST(RegressionFile, DamageIsNamedByItsLine) {
  std::string text = encode_regression(made_up());
  for (const auto& [from, to] : {std::pair<std::string, std::string>{"pair\t1\t0", "pair\t1\t2"},
                                 {"order\t0:0", "order\t0"},
                                 {"run\t5", "run\tfive"},
                                 {"kind\t", "sort\t"},
                                 {"event\tread\tf(int)\tx\t0", "event\tread"}}) {
    std::string damaged = text;
    damaged.replace(damaged.find(from), from.size(), to);
    std::string error;
    EXPECT_FALSE(decode_regression(damaged, error)) << to;
    EXPECT_TRUE(error.starts_with("damaged in line ")) << error;
  }
}

TEST(RegressionFile, OtherFilesAndNewerOnesAreRefused) {
  std::string error;
  EXPECT_FALSE(decode_regression("RFFSCHED", error));
  EXPECT_EQ(error, "no file of rff-replay --export");
  EXPECT_FALSE(decode_regression("rff regression 3\n", error));
  EXPECT_EQ(error, "made by a newer rff: use that rff-replay");
}

}  // namespace
}  // namespace rff
