// try_lock_for on a held mutex expires; a recursive mutex is taken twice.
#include <cassert>
#include <chrono>
#include <mutex>
#include <thread>

using namespace std::chrono_literals;

int main() {
  std::timed_mutex held;
  std::recursive_mutex nested;
  int counter = 0;
  held.lock();
  std::thread t([&] {
    assert(!held.try_lock_for(20ms));
    assert(!held.try_lock_until(std::chrono::steady_clock::now() + 20ms));
    assert(!held.try_lock());
    std::lock_guard outer(nested);
    std::lock_guard inner(nested);
    counter++;
  });
  {
    std::lock_guard outer(nested);
    counter++;
  }
  t.join();
  held.unlock();
  assert(counter == 2);
}
