// Schedules from bytes: which byte chooses whom, and what follows the last one.
#include <gtest/gtest.h>

#include <set>

#include "libsched/engine/schedulers/interleave.h"

namespace rff {
namespace {

// Three threads that write 1 2, 3 4 and 5 6.
std::vector<std::vector<Operation>> program() {
  std::vector<std::vector<Operation>> threads(3);
  for (std::uint32_t i = 0; i < 6; ++i) {
    threads[i / 2].push_back(make_operation(OpKind::kWrite, kX, i + 1));
  }
  return threads;
}

std::string order(const std::string& stream, std::uint32_t stay, std::uint32_t end) {
  Schedule s;
  s.scheduler = SchedulerKind::kBytes;
  s.stream = stream;
  s.bytes_stay = stay;
  s.bytes_end = end;
  Memory memory;
  auto scheduler = make_scheduler(s, memory);
  return interleave(*scheduler, memory, program());
}

TEST(BytesScheduler, AByteIsTheNumberOfAThread) {
  EXPECT_EQ(order(std::string("\2\1\0", 3), 0, 0), "531246");
  EXPECT_EQ(order("\5\4\3", 0, 0), "531246") << "modulo the number of threads";
}

TEST(BytesScheduler, ZerosMeanNoPreemption) {
  EXPECT_EQ(order(std::string(6, '\0'), 1, 0), "123456");
  EXPECT_EQ(order(std::string("\1\0\0\0", 4), 1, 0), "341256");
  EXPECT_EQ(order(std::string("\2\2", 2), 1, 0), "531246");
}

// So that random bytes do not preempt at almost every decision.
TEST(BytesScheduler, ToGoOnIsAsLikelyAsAnyOtherThread) {
  EXPECT_EQ(order("\3\6\2", 1, 0), order(std::string("\0\0\2", 3), 1, 0));
  EXPECT_EQ(order("\4", 1, 0), order("\1", 1, 0));
}

TEST(BytesScheduler, TheEndIsChosen) {
  EXPECT_EQ(order("\2", 0, 0), "512346") << "the first thread";
  EXPECT_EQ(order("\2", 0, 1), "561234") << "no preemption";
  std::set<std::string> seeded;
  for (char c = 0; c < 50; ++c) {
    std::string stream(1, c);
    seeded.insert(order(stream, 0, 2));
    EXPECT_EQ(order(stream, 0, 2), order(stream, 0, 2)) << "seeded by the bytes";
  }
  EXPECT_GT(seeded.size(), 20u);
}

TEST(BytesScheduler, EveryInterleavingHasAStream) {
  std::set<std::string> orders;
  Random random(1);
  for (int i = 0; i < 20'000; ++i) {
    std::string stream;
    for (int k = 0; k < 6; ++k) {
      stream += static_cast<char>(random.below(3));
    }
    orders.insert(order(stream, 1, 0));
  }
  EXPECT_EQ(orders.size(), 90u);  // 6! / 2!^3
}

}  // namespace
}  // namespace rff
