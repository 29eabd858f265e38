// Two binary semaphores taken in opposite order.
#include <semaphore>
#include <thread>

int main() {
  std::binary_semaphore a{1}, b{1};
  std::thread s([&] {
    a.acquire();
    b.acquire();
    b.release();
    a.release();
  });
  std::thread t([&] {
    b.acquire();
    a.acquire();
    a.release();
    b.release();
  });
  s.join();
  t.join();
}
