// Three threads share one permit of a std::counting_semaphore: each takes it, counts, and gives it
// back. The program is correct; the semaphore of libstdc++ 12 is not (README.md).
#include <cassert>
#include <semaphore>
#include <thread>

static std::counting_semaphore<8> permits(1);
static int holders;

static void work() {
  for (int round = 0; round < 2; round++) {
    permits.acquire();
    holders = holders + 1;
    assert(holders == 1);
    holders = holders - 1;
    permits.release();
  }
}

int main() {
  std::thread a(work), b(work), c(work);
  a.join();
  b.join();
  c.join();
  return 0;
}
