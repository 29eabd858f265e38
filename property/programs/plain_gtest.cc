// A test of GoogleTest in a program with properties that does not include rff/gtest.h.
#include <gtest/gtest.h>

TEST(Ordinary, Passes) { EXPECT_EQ(1 + 1, 2); }
