#include "schedule/input_parts.h"

#include <gtest/gtest.h>

#include "schedule/hash.h"

namespace rff {
namespace {

using Parts = std::vector<std::string>;
std::string bytes(std::initializer_list<int> values) {
  std::string s;
  for (int v : values) s += static_cast<char>(v);
  return s;
}

TEST(InputParts, EveryByteStringIsDivided) {
  EXPECT_EQ(split_parts("ab", 1), Parts{"ab"});
  EXPECT_EQ(split_parts("", 3), (Parts{"", "", ""}));
  EXPECT_EQ(split_parts("ab", 2), (Parts{"ab", ""}));
  EXPECT_EQ(split_parts(bytes({'a', 0, 0, 'b'}), 2), (Parts{"a", "b"}));
  EXPECT_EQ(split_parts(bytes({'a', 0, 'b'}), 2), (Parts{"a", "b"}));
  EXPECT_EQ(split_parts(bytes({'a', 0}), 2), (Parts{"a", ""}));
  EXPECT_EQ(split_parts(bytes({'a', 0, 0xff, 'b'}), 2), (Parts{bytes({'a', 0, 'b'}), ""}));
  EXPECT_EQ(split_parts(bytes({0, 0, 0, 0xff}), 2), (Parts{"", bytes({0, 0xff})})) << "the last";
}

TEST(InputParts, AnyPartsCanBeJoined) {
  Random random(1);
  for (int i = 0; i < 20'000; ++i) {
    Parts parts(1 + random.below(4));
    for (std::string& part : parts) {
      for (std::size_t n = random.below(5); n > 0; --n) {
        part += "\0\xff\1x"[random.below(4)];
      }
    }
    ASSERT_EQ(split_parts(join_parts(parts), parts.size()), parts);
  }
}

TEST(InputParts, AnInputSaysHowManyItHas) {
  EXPECT_EQ(parts_of({ProgramInput::Way::kFile, "", "x"}), 0u);
  EXPECT_EQ(parts_of({ProgramInput::Way::kFile, "3", "x"}), 3u);
  EXPECT_EQ(parts_of({ProgramInput::Way::kVariable, "3", "x"}), 0u);
  EXPECT_EQ(program_texts({ProgramInput::Way::kArgument, "", bytes({'a', 0, 'b'})}).size(), 1u);
}

TEST(InputParts, ATextArrivesWholeWithoutZeroBytes) {
  using Way = ProgramInput::Way;
  EXPECT_FALSE(arrives_whole({Way::kArgument, "", bytes({'a', 0, 'b'})}));
  EXPECT_TRUE(arrives_whole({Way::kArgument, "2", bytes({'a', 0, 'b'})}));
  EXPECT_FALSE(arrives_whole({Way::kArgument, "2", bytes({'a', 0, 0xff, 'b'})}));
  EXPECT_TRUE(arrives_whole({Way::kFile, "", bytes({'a', 0, 'b'})}));
}

}  // namespace
}  // namespace rff
