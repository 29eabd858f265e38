// A reader takes the exclusive lock while other readers, itself among them, are inside.
#include <mutex>
#include <shared_mutex>
#include <thread>

int main() {
  std::shared_mutex mutex;
  std::mutex other;
  auto work = [&](bool first) {
    if (first) {
      std::shared_lock shared(mutex);
      std::lock_guard lock(other);
    } else {
      std::lock_guard lock(other);
      std::unique_lock unique(mutex);
    }
  };
  std::thread a(work, true), b(work, false);
  a.join();
  b.join();
}
