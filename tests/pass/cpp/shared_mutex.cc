// Readers share, a writer is alone.
#include <cassert>
#include <mutex>
#include <shared_mutex>
#include <thread>

int main() {
  std::shared_mutex mutex;
  volatile int left = 0, right = 0;
  auto write = [&] {
    std::unique_lock lock(mutex);
    left = left + 1;
    right = right + 1;
  };
  auto read = [&] {
    std::shared_lock lock(mutex);
    assert(left == right);
  };
  std::thread a(write), b(read), c(write), d(read);
  a.join();
  b.join();
  c.join();
  d.join();
  assert(left == 2);
}
