// Exceptions are thrown and caught in several threads at once; locks are released while they fly.
#include <cassert>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>

int main() {
  std::mutex mutex;
  int caught = 0;
  auto work = [&](int depth) {
    auto fail = [&](auto& self, int left) -> void {
      std::string local(20, 'x');
      if (left == 0) throw std::runtime_error(local);
      self(self, left - 1);
    };
    try {
      std::lock_guard lock(mutex);
      fail(fail, depth);
    } catch (const std::exception& error) {
      std::lock_guard lock(mutex);
      assert(std::string(error.what()).size() == 20);
      caught++;
    }
  };
  std::thread a(work, 1), b(work, 3), c(work, 5);
  a.join();
  b.join();
  c.join();
  assert(caught == 3);
}
