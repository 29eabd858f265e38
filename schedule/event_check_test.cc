#include "schedule/event_check.h"

#include <gtest/gtest.h>

namespace rff {
namespace {

TEST(EventCheck, KeepsTheLowBitsOfTheIdApartFromTheTimeout) {
  constexpr std::uint64_t kId = 0xfedcba98ffffd123;
  for (bool timed_out : {false, true}) {
    EventCheck c = EventCheck::of(kId, timed_out);
    EXPECT_EQ(c.timed_out(), timed_out);
    EXPECT_EQ(c.id_bits(), kId & 0x7fff);
    EXPECT_TRUE(c.matches(kId));
    EXPECT_FALSE(c.matches(kId ^ 1));
    EXPECT_EQ(EventCheck(c.bits()), c);
  }
  EXPECT_NE(EventCheck::of(kId, true), EventCheck::of(kId, false));
}

}  // namespace
}  // namespace rff
