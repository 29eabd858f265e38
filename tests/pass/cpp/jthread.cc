// A jthread asks its thread to stop and joins it; the stop wakes a wait.
#include <cassert>
#include <condition_variable>
#include <mutex>
#include <stop_token>
#include <thread>

int main() {
  bool stopped = false;
  {
    std::mutex mutex;
    std::condition_variable_any changed;
    std::jthread worker([&](std::stop_token stop) {
      std::unique_lock lock(mutex);
      bool woken = changed.wait(lock, stop, [] { return false; });
      assert(!woken && stop.stop_requested());
      stopped = true;
    });
  }
  assert(stopped);
}
