// A block from new that one thread gives to free. Whoever comes first releases it.
#include <atomic>
#include <cstdlib>
#include <thread>

int main() {
  std::atomic<long*> shared{new long(4)};
  auto release = [&](bool wrong) {
    long* volatile taken = shared.exchange(nullptr);
    long* block = taken;
    if (block == nullptr) {
      return;
    }
#ifndef REPAIRED
    if (wrong) {
      std::free(block);
      return;
    }
#endif
    (void)wrong;
    delete block;
  };
  std::thread first(release, false), second(release, true);
  first.join();
  second.join();
}
