// wait with a predicate, wait_for that expires, condition_variable_any with a shared lock.
#include <cassert>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <shared_mutex>
#include <thread>

using namespace std::chrono_literals;

int main() {
  std::mutex mutex;
  std::condition_variable changed, never;
  std::shared_mutex shared;
  std::condition_variable_any any;
  bool ready = false, any_ready = false;
  std::thread a([&] {
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return ready; });
    assert(!never.wait_for(lock, 20ms, [] { return false; }));
  });
  std::thread b([&] {
    std::shared_lock lock(shared);
    any.wait(lock, [&] { return any_ready; });
  });
  {
    std::lock_guard lock(mutex);
    ready = true;
  }
  changed.notify_all();
  {
    std::lock_guard lock(shared);
    any_ready = true;
  }
  any.notify_all();
  a.join();
  b.join();
}
