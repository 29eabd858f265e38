#include "fuzzer/common/unseen_modules.h"

#include <gtest/gtest.h>

namespace rff {
namespace {

TEST(UnseenModules, OnlyTheMathematicalLibraryAndTheUnwinderShareNothing) {
  EXPECT_TRUE(shares_nothing("/lib/x86_64-linux-gnu/libm.so.6"));
  EXPECT_TRUE(shares_nothing("/lib/x86_64-linux-gnu/libgcc_s.so.1"));
  EXPECT_TRUE(shares_nothing("libm.so.6"));
  for (const char* path : {"/usr/lib/libstdc++.so.6", "/usr/lib/libz.so.1",
                           "/opt/libm.so.6/libz.so.1", "/usr/lib/libmvec.so.1", "libm.so", ""}) {
    EXPECT_FALSE(shares_nothing(path)) << path;
  }
}

}  // namespace
}  // namespace rff
