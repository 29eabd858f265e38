// thread_local objects are built on first use in each thread and destroyed before the join returns.
#include <atomic>
#include <cassert>
#include <thread>

namespace {
std::atomic<int> built{0}, destroyed{0};
struct Counter {
  Counter() { built++; }
  ~Counter() { destroyed++; }
  int value = 0;
};
thread_local Counter counter;
}  // namespace

int main() {
  auto use = [] { assert(++counter.value == 1); };
  std::thread a(use), b(use), c([] {});
  a.join();
  b.join();
  c.join();
  assert(built == 2 && destroyed == 2);
}
