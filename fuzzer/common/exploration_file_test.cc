#include "fuzzer/common/exploration_file.h"

#include <gtest/gtest.h>

namespace rff {
namespace {

ExplorationFile example() {
  ExplorationFile file;
  file.identity = {1, 2, 3};
  file.seed = 4;
  file.explored = 5;
  file.points = {6, 7};
  file.unmodelled_calls = {"mbind"};
  file.unpatched_modules = {"/lib/a.so", "/lib/b.so"};
  file.search = std::string("\0what a search saves", 20);
  return file;
}

TEST(ExplorationFile, IsReadAsItWasWritten) {
  ExplorationFile file = example(), read;
  ASSERT_EQ(decode_exploration(encode_exploration(file), read), "");
  EXPECT_EQ(read.identity, file.identity);
  EXPECT_EQ(read.seed, file.seed);
  EXPECT_EQ(read.explored, file.explored);
  EXPECT_EQ(read.points, file.points);
  EXPECT_EQ(read.unmodelled_calls, file.unmodelled_calls);
  EXPECT_EQ(read.unpatched_modules, file.unpatched_modules);
  EXPECT_EQ(read.search, file.search);
}

TEST(ExplorationFile, DamagedInAnyByteOrCutAnywhereIsRefused) {
  std::string whole = encode_exploration(example());
  ExplorationFile read;
  for (std::size_t i = 0; i < whole.size(); ++i) {
    EXPECT_NE(decode_exploration(std::string_view(whole).substr(0, i), read), "") << i;
    for (unsigned bit = 0; bit < 8; ++bit) {
      std::string damaged = whole;
      damaged[i] = static_cast<char>(static_cast<unsigned char>(damaged[i]) ^ 1u << bit);
      EXPECT_NE(decode_exploration(damaged, read), "") << i;
    }
  }
  EXPECT_NE(decode_exploration(whole + "more", read), "");
}

TEST(ExplorationFile, OfAnotherVersionOrAnotherKindIsRefusedWithTheReason) {
  std::string newer = encode_exploration(example());
  newer[8] = 2;
  ExplorationFile read;
  EXPECT_EQ(decode_exploration(newer, read),
            "it is of version 2, and this rff-fuzz writes version 1");
  EXPECT_EQ(decode_exploration("something else entirely", read), "it was not written by rff-fuzz");
}

}  // namespace
}  // namespace rff
