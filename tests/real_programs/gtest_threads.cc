// A GoogleTest binary whose tests use threads.
#include <gtest/gtest.h>

#include <condition_variable>
#include <mutex>
#include <queue>
#include <thread>
#include <vector>

#include "result.h"

TEST(Counter, CountsUnderALock) {
  std::mutex lock;
  int count = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; i++) {
    threads.emplace_back([&] {
      std::lock_guard<std::mutex> guard(lock);
      count++;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(count, 3);
}

TEST(Queue, HandsOverEveryItem) {
  std::mutex lock;
  std::condition_variable filled;
  std::queue<int> items;
  std::thread producer([&] {
    for (int i = 1; i <= 3; i++) {
      std::lock_guard<std::mutex> guard(lock);
      items.push(i);
      filled.notify_one();
    }
  });
  int sum = 0;
  for (int i = 0; i < 3; i++) {
    std::unique_lock<std::mutex> guard(lock);
    filled.wait(guard, [&] { return !items.empty(); });
    sum += items.front();
    items.pop();
  }
  producer.join();
  EXPECT_EQ(sum, 6);
}

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  int status = RUN_ALL_TESTS();
  tell_result(argc, argv, "%d tests, %d failed",
              testing::UnitTest::GetInstance()->total_test_count(),
              testing::UnitTest::GetInstance()->failed_test_count());
  return status;
}
