// Tests of a user with Catch2, whose names have spaces and commas: a right one, a racy one, one
// without threads, a hidden one.
#ifdef CATCH2_2
#define CATCH_CONFIG_MAIN
#include <catch2/catch.hpp>
#else
#include <catch2/catch_test_macros.hpp>
#endif

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

TEST_CASE("two deposits, locked") { REQUIRE(after_two(deposit_locked) == 2); }
TEST_CASE("two deposits, racy") { REQUIRE(after_two(deposit_racy) == 2); }
TEST_CASE("no deposit") { REQUIRE(balance == 0); }
TEST_CASE("slow", "[.]") { REQUIRE(false); }

}  // namespace
