// Tests of a user: right ones, a racy one, one without threads, a disabled one, parameters.
#include <gtest/gtest.h>

#include <mutex>
#include <thread>

namespace {

long balance;
std::mutex balance_mutex;

void deposit_locked() {
  std::lock_guard guard(balance_mutex);
  ++balance;
}

void deposit_racy() {
  long seen = balance;
  balance = seen + 1;
}

long after_two(void (*deposit)()) {
  balance = 0;
  std::thread one(deposit), two(deposit);
  one.join();
  two.join();
  return balance;
}

TEST(Bank, Locked) { EXPECT_EQ(after_two(deposit_locked), 2); }
TEST(Bank, Racy) { EXPECT_EQ(after_two(deposit_racy), 2); }
TEST(Bank, Single) { EXPECT_EQ(balance, 0); }
TEST(Bank, DISABLED_Slow) { FAIL(); }

class Branches : public testing::TestWithParam<int> {};
TEST_P(Branches, Deposit) { EXPECT_EQ(after_two(deposit_locked), 2); }
INSTANTIATE_TEST_SUITE_P(All, Branches, testing::Values(1));

}  // namespace
