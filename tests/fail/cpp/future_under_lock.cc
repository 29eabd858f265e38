// A thread waits for a future while it holds the lock that the keeper of the promise needs.
#include <future>
#include <mutex>
#include <thread>

int main() {
  std::mutex mutex;
  std::promise<int> promise;
  auto future = promise.get_future();
  std::thread keeper([&] {
    std::lock_guard lock(mutex);
    promise.set_value(1);
  });
  {
    std::lock_guard lock(mutex);
    future.get();
  }
  keeper.join();
}
