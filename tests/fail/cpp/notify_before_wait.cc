// notify_one comes before the wait, and the wait has no predicate.
#include <condition_variable>
#include <mutex>
#include <thread>

int main() {
  std::mutex mutex;
  std::condition_variable changed;
  std::thread waiter([&] {
    std::unique_lock lock(mutex);
    changed.wait(lock);
  });
  {
    std::lock_guard lock(mutex);
    changed.notify_one();
  }
  waiter.join();
}
