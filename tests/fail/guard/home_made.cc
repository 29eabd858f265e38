// A home-made guard: a flag tested and set in two steps, so that the object may be built twice.
#include <cassert>
#include <thread>

namespace {
volatile bool built = false;
volatile int constructions = 0;
void ensure() {
  if (built) return;
  constructions = constructions + 1;
  built = true;
}
}  // namespace

int main() {
  std::thread a(ensure), b(ensure);
  a.join();
  b.join();
  assert(constructions == 1);
}
