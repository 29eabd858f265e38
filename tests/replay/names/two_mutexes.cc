// Two mutexes of the C++ library in opposite order.
#include <mutex>
#include <thread>

static std::mutex a, b;

static void a_then_b() {
  a.lock();
  b.lock();
  b.unlock();
  a.unlock();
}

static void b_then_a() {
  b.lock();
  a.lock();
  a.unlock();
  b.unlock();
}

int main() {
  std::thread first(a_then_b), second(b_then_a);
  first.join();
  second.join();
}
