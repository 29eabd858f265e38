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
  EXPECT_FALSE(decode_regression("rff regression 2\n", error));
  EXPECT_EQ(error, "made by a newer rff: use that rff-replay");
}

}  // namespace
}  // namespace rff
