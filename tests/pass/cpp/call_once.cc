// call_once: one call, and it is complete for everybody who returns from call_once.
#include <cassert>
#include <mutex>
#include <thread>

int main() {
  std::once_flag flag;
  int calls = 0;
  auto use = [&] {
    std::call_once(flag, [&] { calls++; });
    assert(calls == 1);
  };
  std::thread a(use), b(use), c(use);
  a.join();
  b.join();
  c.join();
}
