// A participant leaves without dropping out of the barrier when it finds a flag set.
#include <atomic>
#include <barrier>
#include <thread>

int main() {
  std::barrier<> phase(2);
  std::atomic<bool> cancelled{false};
  auto work = [&] {
    if (!cancelled.load()) phase.arrive_and_wait();
  };
  std::thread a(work), b(work);
  cancelled.store(true);
  a.join();
  b.join();
}
