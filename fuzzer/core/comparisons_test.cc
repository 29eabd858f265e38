#include "fuzzer/core/comparisons.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>

namespace rff {
namespace {

ComparedOperands values(unsigned width, std::uint64_t first, std::uint64_t second,
                        bool constant = true) {
  ComparedOperands c;
  c.width = static_cast<std::uint8_t>(width);
  c.first = first;
  c.second = second;
  c.constant = constant;
  return c;
}

ComparedOperands strings(std::string first, std::string second) {
  ComparedOperands c;
  c.first_bytes = std::move(first);
  c.second_bytes = std::move(second);
  return c;
}

std::vector<std::string> results(std::string_view input, const ComparedOperands& comparison) {
  std::vector<std::string> all;
  for (const Substitution& s : substitutions(input, comparison)) {
    all.push_back(apply(s, input));
  }
  return all;
}

bool suggests(std::string_view input, const ComparedOperands& comparison, std::string_view result) {
  std::vector<std::string> all = results(input, comparison);
  return std::find(all.begin(), all.end(), result) != all.end();
}

std::string bytes(std::initializer_list<int> list) { return {list.begin(), list.end()}; }

TEST(Comparisons, PutTheOtherOperandWhereOneIsFoundInEitherByteOrder) {
  ComparedOperands c = values(4, 0x01020304, 0x0a0b0c0d);
  EXPECT_TRUE(suggests(bytes({9, 4, 3, 2, 1, 9}), c, bytes({9, 13, 12, 11, 10, 9})));
  EXPECT_TRUE(suggests(bytes({9, 1, 2, 3, 4, 9}), c, bytes({9, 10, 11, 12, 13, 9})));
}

TEST(Comparisons, HaveWidthsFromOneToEightBytes) {
  EXPECT_TRUE(suggests("a", values(1, 'a', 'b'), "b"));
  EXPECT_TRUE(suggests("ab", values(2, 0x6261, 0x4443), "CD"));
  EXPECT_TRUE(suggests("abcdefgh", values(8, 0x6867666564636261, 0x4847464544434241), "ABCDEFGH"));
}

TEST(Comparisons, UseNarrowerWidthsOnlyIfBothValuesFit) {
  EXPECT_TRUE(suggests("x", values(4, 'x', 'y'), "y"));
  EXPECT_FALSE(suggests("x", values(4, 'x', 0x1234), "\x34"));
  // A negative number fits if its sign is all that is left out.
  EXPECT_TRUE(suggests("\x80", values(4, 0xffffff80, 0xffffffff), "\xff"));
  EXPECT_FALSE(suggests("\x80", values(4, 0xffffff80, 0xffff00ff), "\xff"));
}

TEST(Comparisons, ReplaceDecimalNumbersAsAWhole) {
  EXPECT_TRUE(suggests("n=17;", values(4, 17, 130), "n=130;"));
  EXPECT_TRUE(suggests("n=-5", values(4, 0xfffffffb, 12), "n=12"));
  EXPECT_TRUE(suggests("n=5", values(4, 5, 0xfffffff0), "n=-16"));
  EXPECT_TRUE(suggests("n=0017", values(8, 17, 130), "n=130"));
  EXPECT_FALSE(suggests("n=171", values(4, 17, 130), "n=1301"));
  EXPECT_TRUE(results("99999999999999999999999", values(4, 9, 130)).empty());
}

TEST(Comparisons, PutNeighboursToo) {
  ComparedOperands c = values(4, 17, 130);
  EXPECT_TRUE(suggests("17", c, "129"));
  EXPECT_TRUE(suggests("17", c, "131"));
  EXPECT_EQ(results("17", c).front(), "130") << "the value itself comes first";
}

TEST(Comparisons, SearchNeighboursForProgramsThatCompareXPlusOne) {
  EXPECT_TRUE(suggests("16", values(4, 17, 130), "129"));
  EXPECT_TRUE(suggests("18", values(4, 17, 130), "131"));
}

TEST(Comparisons, DoNotSearchAConstantOfTheCode) {
  EXPECT_TRUE(results("BBBB", values(4, 0x41414141, 0x42424242)).empty());
  EXPECT_TRUE(suggests("BBBB", values(4, 0x41414141, 0x42424242, false), "AAAA"));
}

TEST(Comparisons, MoveNumbersFromWhichAValueMayHaveBeenComputed) {
  auto moved = [](std::string_view input, const ComparedOperands& comparison) {
    std::vector<std::string> all;
    for (const Substitution& s : linear_substitutions(input, comparison)) {
      all.push_back(apply(s, input));
    }
    return all;
  };
  using Inputs = std::vector<std::string>;
  auto has = [](const Inputs& all, std::string_view one) {
    return std::find(all.begin(), all.end(), one) != all.end();
  };
  // (x + 68) * 4, compared with 0.
  EXPECT_TRUE(has(moved("", values(8, 272, 0)), "-68"));
  EXPECT_TRUE(has(moved("a 7 b", values(8, 300, 0)), "a -68 b"));
  // 100 - x, compared with -1 as 4 bytes.
  EXPECT_TRUE(has(moved("-5", values(4, 105, 0xffffffff)), "101"));
  // Only whole parts.
  EXPECT_EQ(moved("5", values(8, 8, 1)), (Inputs{"-2", "12"}));
  EXPECT_EQ(moved("5", values(8, 1, 1)), Inputs{});
  EXPECT_EQ(moved("5", values(8, 0x7f1200345678, 0)), Inputs{}) << "an address";
  EXPECT_EQ(moved("5", values(8, 8, 1, false)), Inputs{}) << "none of them stands in the code";
}

TEST(Comparisons, ReplaceByteStringsOfAnyLength) {
  EXPECT_TRUE(suggests("x hello y", strings("hello", "GET"), "x GET y"));
  EXPECT_TRUE(suggests("x GET y", strings("hello", "GET"), "x hello y"));
  EXPECT_TRUE(suggests("abcdefgh", strings("ab", "WXYZ"), "WXYZefgh"));
  EXPECT_TRUE(suggests("", strings("", "GET"), "GET"));
}

TEST(Comparisons, SuggestOnlyChangesAndEachOnce) {
  EXPECT_TRUE(results("same", strings("same", "same")).empty());
  auto all = substitutions("7 7", values(1, 7, 9));
  for (std::size_t i = 0; i < all.size(); ++i) {
    EXPECT_EQ(std::count(all.begin(), all.end(), all[i]), 1);
    EXPECT_NE(apply(all[i], "7 7"), "7 7");
  }
  EXPECT_FALSE(all.empty());
}

TEST(Comparisons, AreBounded) {
  std::string zeros(100'000, '\0');
  EXPECT_EQ(substitutions(zeros, values(8, 0, 1), 10).size(), 10u);
}

class ComparisonRecord : public ::testing::Test {
 protected:
  ComparisonRecord() { run_->has_branches = 1; }
  std::unique_ptr<RunRecord> run_ = std::make_unique<RunRecord>();
};

TEST_F(ComparisonRecord, IsReadWithoutSwappingOperands) {
  run_->compared_values.append({.first = 1,
                                .second = 2,
                                .site = {7, 8},
                                .thread = 3,
                                .width = 4,
                                .constant = true,
                                .reserved = 0});
  ComparedBytes two{};
  two.site = {7, 9};
  two.first_size = 2;
  two.second_size = 1;
  two.first[0] = 'a';
  two.first[1] = 'b';
  two.second[0] = 'c';
  run_->compared_bytes.append(two);
  std::vector<ComparedOperands> read = read_comparisons(*run_);
  ASSERT_EQ(read.size(), 2u);
  EXPECT_EQ(read[0].first, 1u);
  EXPECT_EQ(read[0].second, 2u);
  EXPECT_EQ(read[0].site, (CodeName{7, 8}));
  EXPECT_EQ(read[0].width, 4);
  EXPECT_TRUE(read[0].constant);
  EXPECT_FALSE(read[1].has_values());
  EXPECT_EQ(read[1].first_bytes, "ab");
  EXPECT_EQ(read[1].second_bytes, "c");
}

TEST_F(ComparisonRecord, IsNotTrusted) {
  ComparedValues wide{};
  wide.width = 77;
  run_->compared_values.append(wide);
  ComparedBytes longer{};
  longer.first_size = 255;
  run_->compared_bytes.append(longer);
  std::vector<ComparedOperands> read = read_comparisons(*run_);
  ASSERT_EQ(read.size(), 1u);
  EXPECT_EQ(read[0].first_bytes.size(), std::size_t{ComparedBytes::kMost});
}

TEST_F(ComparisonRecord, OfAProgramWithoutBranchesIsEmpty) {
  ComparedValues left_over{};
  left_over.width = 4;
  run_->compared_values.append(left_over);
  run_->has_branches = 0;
  EXPECT_TRUE(read_comparisons(*run_).empty());
}

}  // namespace
}  // namespace rff
