// If building a static throws, the next thread tries again; all see the same built object in the
// end.
#include <atomic>
#include <cassert>
#include <stdexcept>
#include <thread>

namespace {
std::atomic<int> attempts{0};
struct Fragile {
  Fragile() {
    if (attempts++ == 0) throw std::runtime_error("first attempt");
  }
  int value = 5;
};
int get() {
  for (;;) try {
      static Fragile instance;
      return instance.value;
    } catch (const std::runtime_error&) {
    }
}
}  // namespace

int main() {
  auto use = [] { assert(get() == 5); };
  std::thread a(use), b(use);
  a.join();
  b.join();
  assert(attempts == 2);
}
