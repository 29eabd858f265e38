// A block from malloc that one thread gives to delete. Whoever comes first releases it.
#include <atomic>
#include <cstdlib>
#include <thread>

int main() {
  std::atomic<long*> shared{static_cast<long*>(std::malloc(32))};
  auto release = [&](bool wrong) {
    long* volatile taken = shared.exchange(nullptr);
    long* block = taken;
    if (block == nullptr) {
      return;
    }
#ifndef REPAIRED
    if (wrong) {
      delete block;
      return;
    }
#endif
    (void)wrong;
    std::free(block);
  };
  std::thread first(release, false), second(release, true);
  first.join();
  second.join();
}
