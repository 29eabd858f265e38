// The store that should end the wait is not followed by a notify: a waiter that is already asleep
// stays asleep.
#include <atomic>
#include <thread>

int main() {
  std::atomic<int> value{0};
  std::thread waiter([&] { value.wait(0); });
  value.store(1);
  waiter.join();
}
