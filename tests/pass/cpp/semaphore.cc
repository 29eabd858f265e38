// counting_semaphore: acquire, release, try_acquire, try_acquire_for that expires.
#include <cassert>
#include <chrono>
#include <semaphore>
#include <thread>

using namespace std::chrono_literals;

int main() {
  std::counting_semaphore<4> full{0};
  std::binary_semaphore never{0};
  int box = 0;
  std::thread producer([&] {
    box = 1;
    full.release();
  });
  std::thread idle([&] {
    assert(!never.try_acquire());
    assert(!never.try_acquire_for(20ms));
  });
  full.acquire();
  assert(box == 1);
  producer.join();
  idle.join();
}
