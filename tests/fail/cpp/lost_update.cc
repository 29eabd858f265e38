// Two std::threads increment an atomic by load and store.
#include <atomic>
#include <cassert>
#include <thread>

int main() {
  std::atomic<int> counter{0};
  auto add = [&] { counter.store(counter.load() + 1); };
  std::thread a(add), b(add);
  a.join();
  b.join();
  assert(counter == 2);
}
