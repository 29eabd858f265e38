// A vector that one thread clears while another reads an element by reference.
#include <atomic>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

int main() {
  std::mutex lock;
  auto numbers = std::make_unique<std::vector<int>>(10, 1);
  volatile int sum = 0;
  std::thread reader([&] {
    const int* first = nullptr;
    {
      std::lock_guard hold(lock);
      first = numbers ? numbers->data() : nullptr;
#ifdef REPAIRED
      sum = first != nullptr ? first[3] : 0;
      first = nullptr;
#endif
    }
    if (first != nullptr) {
      sum = first[3];
    }
  });
  std::thread owner([&] {
    std::lock_guard hold(lock);
    numbers.reset();
  });
  reader.join();
  owner.join();
}
