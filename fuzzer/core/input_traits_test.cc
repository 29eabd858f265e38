#include "fuzzer/core/input_traits.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <string_view>
#include <vector>

namespace rff {
namespace {

class InputTraitsTest : public testing::Test {
 protected:
  InputTraitsTest() { run_->has_branches = 1; }

  void compare_values(std::uint32_t place, unsigned width, std::uint64_t first,
                      std::uint64_t second, bool constant = true) {
    run_->compared_values.append({.first = first,
                                  .second = second,
                                  .site = {1, place},
                                  .thread = 0,
                                  .width = static_cast<std::uint8_t>(width),
                                  .constant = constant,
                                  .reserved = 0});
  }

  void compare_strings(std::uint32_t place, std::string_view first, std::string_view second) {
    ComparedBytes two{};
    two.site = {1, place};
    two.first_size = static_cast<std::uint8_t>(first.size());
    two.second_size = static_cast<std::uint8_t>(second.size());
    std::memcpy(two.first, first.data(), first.size());
    std::memcpy(two.second, second.data(), second.size());
    run_->compared_bytes.append(two);
  }

  std::map<std::uint64_t, std::uint64_t> near() {
    std::map<std::uint64_t, std::uint64_t> result;
    for (const Nearness& n : nearness_of(*run_)) {
      result[n.place] = n.difference;
    }
    return result;
  }

  static std::uint64_t place(std::uint32_t number) { return CodeName{1, number}.packed(); }

  std::unique_ptr<RunRecord> run_ = std::make_unique<RunRecord>();
};

TEST_F(InputTraitsTest, TheLeastDifferenceOfAPlaceCounts) {
  compare_values(1, 4, 10, 30);
  compare_values(1, 4, 33, 30);
  compare_values(2, 1, 0xff, 1);
  compare_values(3, 8, ~std::uint64_t{0}, 4);
  EXPECT_EQ(near(),
            (std::map<std::uint64_t, std::uint64_t>{{place(1), 3}, {place(2), 2}, {place(3), 5}}));
}

TEST_F(InputTraitsTest, ADifferenceFromWhatTheProgramComputedDoesNotCount) {
  compare_values(1, 4, 10, 30, false);
  EXPECT_TRUE(near().empty());
}

TEST_F(InputTraitsTest, StringsAreNearerWithMoreEqualBytes) {
  compare_strings(1, "BXX", "BUG");
  compare_strings(2, "BUX", "BUG");
  compare_strings(3, "", "BUG");
  auto found = near();
  EXPECT_EQ(found[place(3)] - found[place(1)], 1u);
  EXPECT_EQ(found[place(1)] - found[place(2)], 1u);
}

TEST_F(InputTraitsTest, AValueComputedFromANumberMovesThatNumber) {
  compare_values(1, 8, 272, 0);    // (1 + 67) * 4
  compare_values(2, 8, '1', '7');  // in the input as it is
  InputHints hints = hints_of(*run_, "1");
  ASSERT_EQ(hints.size(), 2u);
  std::vector<std::string> moved;
  for (const Substitution& s : hints[0].substitutions) {
    moved.push_back(apply(s, "1"));
  }
  EXPECT_NE(std::find(moved.begin(), moved.end(), "-67"), moved.end());
  for (const Substitution& s : hints[1].substitutions) {
    EXPECT_NE(apply(s, "1"), "-5") << "a sum, although a part of the input fits";
  }
}

TEST_F(InputTraitsTest, APlaceThatAgreedMovesNothing) {
  compare_values(1, 8, 272, 0);
  compare_values(1, 8, 0, 0);
  EXPECT_TRUE(hints_of(*run_, "5").at(0).substitutions.empty());
}

}  // namespace
}  // namespace rff
