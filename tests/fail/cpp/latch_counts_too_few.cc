// A thread that finds the work taken does not count down.
#include <atomic>
#include <latch>
#include <thread>

int main() {
  std::latch done(2);
  std::atomic<int> taken{0};
  auto work = [&](int limit) {
    if (taken.load() < limit) done.count_down();
    taken.fetch_add(1);
  };
  std::thread a(work, 2), b(work, 1);
  done.wait();
  a.join();
  b.join();
}
