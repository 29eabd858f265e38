// std::thread, lock_guard, scoped_lock over two mutexes in either order.
#include <cassert>
#include <mutex>
#include <thread>
#include <vector>

int main() {
  std::mutex a, b;
  int counter = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; i++)
    threads.emplace_back([&, i] {
      if (i % 2) {
        std::scoped_lock both(a, b);
        counter++;
      } else {
        std::scoped_lock both(b, a);
        counter++;
      }
    });
  for (auto& thread : threads) thread.join();
  assert(counter == 3);
}
