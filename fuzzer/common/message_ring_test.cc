#include "fuzzer/common/message_ring.h"

#include <gtest/gtest.h>

#include <deque>
#include <memory>

#include "schedule/hash.h"

namespace rff {
namespace {

TEST(MessageRing, GivesMessagesInOrderAndWhole) {
  auto ring = std::make_unique<MessageRing<256>>();
  std::deque<std::string> sent;
  Random random(1);
  for (int i = 0; i < 10'000; ++i) {
    std::string message(random.below(100), static_cast<char>('a' + i % 26));
    if (random.chance(1, 2) && ring->put(message)) {
      sent.push_back(message);
    } else if (std::optional<std::string> taken = ring->take()) {
      ASSERT_FALSE(sent.empty());
      ASSERT_EQ(*taken, sent.front());
      sent.pop_front();
    } else {
      ASSERT_TRUE(sent.empty());
    }
  }
}

TEST(MessageRing, RefusesWhatHasNoRoom) {
  auto ring = std::make_unique<MessageRing<64>>();
  EXPECT_FALSE(ring->put(std::string(57, 'x')));
  EXPECT_TRUE(ring->put(std::string(40, 'x')));
  EXPECT_FALSE(ring->put(std::string(9, 'y')));
  EXPECT_TRUE(ring->put(std::string(8, 'y')));
  ring->drop_all();
  EXPECT_FALSE(ring->take());
  EXPECT_TRUE(ring->put(std::string(56, 'z')));
  EXPECT_EQ(ring->take(), std::string(56, 'z'));
}

}  // namespace
}  // namespace rff
