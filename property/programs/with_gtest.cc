// Properties as tests of GoogleTest, beside an ordinary test. The one in with_gtest_more.cc does
// not include rff/gtest.h.
#include "rff/gtest.h"

TEST(Ordinary, Passes) { EXPECT_EQ(1 + 1, 2); }

RFF_PROPERTY(Holds, (int i)) { EXPECT_EQ(i - i, 0); }

RFF_PROPERTY(ExpectsTooMuch, (int i)) { EXPECT_LT(i, 20); }

RFF_PROPERTY(DiscardsWhatItExpected, (unsigned i)) {
  EXPECT_LT(i, 5u);
  rff_assume(i < 5);
}
