// The initialiser of a function-local static takes a lock that another thread holds while it asks
// for the static.
#include <mutex>
#include <thread>

namespace {
std::mutex registry;
struct Entry {
  Entry() { std::lock_guard lock(registry); }
};
Entry& entry() {
  static Entry instance;
  return instance;
}
}  // namespace

int main() {
  std::thread a([] { entry(); });
  std::thread b([] {
    bool ready = false;
    {
      std::unique_lock lock(registry, std::try_to_lock);
      ready = lock.owns_lock();
      if (ready) entry();
    }
  });
  a.join();
  b.join();
}
