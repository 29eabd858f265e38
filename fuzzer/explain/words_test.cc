// The words of reports: readable names, and repetitions said once.
#include <gtest/gtest.h>

#include <string_view>

#include "fuzzer/debug/readable_name.h"
#include "fuzzer/explain/repeats.h"

namespace rff {
namespace {

TEST(ReadableName, LeavesOutParametersAndReturnTypes) {
  EXPECT_EQ(readable_name("main"), "main");
  EXPECT_EQ(readable_name("_ZN5Queue4pushEi"), "Queue::push");
  EXPECT_EQ(readable_name("_Z3maxIiET_S0_S0_"), "max<int>");  // int max<int>(int, int)
  EXPECT_EQ(readable_name("_ZN12_GLOBAL__N_14workEv"), "(anonymous namespace)::work");
}

TEST(ReadableName, KeepsOperatorsAndLambdasWhole) {
  EXPECT_EQ(readable_name("operator()"), "operator()");
  EXPECT_EQ(readable_name("_ZZ4mainENKUlvE_clEv"), "main::{lambda()#1}::operator()");
  EXPECT_EQ(readable_name("_ZN1AlsEi"), "A::operator<<");
  EXPECT_EQ(readable_name("_Znwm"), "operator new");
}

TEST(ReadableName, CutsLongTemplateArguments) {
  EXPECT_EQ(readable_name("_ZNSt6thread11_State_implINS_8_InvokerISt5tupleIJZ4mainEUlvE_EEEEE6_M_"
                          "runEv"),
            "std::thread::_State_impl<...>::_M_run");
}

std::vector<Repeat> repeats(std::string_view text) {
  return find_repeats(text.size(), [&](auto i, auto j) { return text[i] == text[j]; });
}

TEST(FindRepeats, FindsBlocksOfOneAndOfSeveral) {
  auto found = repeats("xaaaaayabcabcabcabcz");
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].begin, 1u);
  EXPECT_EQ(found[0].length, 1u);
  EXPECT_EQ(found[0].times, 4u);
  EXPECT_EQ(found[1].begin, 7u);
  EXPECT_EQ(found[1].length, 3u);
  EXPECT_EQ(found[1].end(), 19u);
}

TEST(FindRepeats, LeavesShortOnesAlone) {
  EXPECT_TRUE(repeats("").empty());
  EXPECT_TRUE(repeats("aaabab").empty());
}

}  // namespace
}  // namespace rff
