// Locks, once, condition variables, streams and local statics are used before there is a second
// thread, and go on being used by the threads.
#include <pthread.h>

#include <cassert>
#include <iostream>
#include <mutex>
#include <sstream>
#include <thread>

namespace {

std::mutex lock;
std::once_flag flag;
int initialised, counter;

int& settings() {
  static int value = ++initialised;
  return value;
}

void work() {
  std::call_once(flag, [] { ++initialised; });
  std::lock_guard guard(lock);
  counter += settings();
  std::ostringstream text;
  text << counter;
  assert(!text.str().empty());
}

struct Early {
  Early() { work(); }
} early;

}  // namespace

int main() {
  work();
  std::cout << counter << std::endl;
  std::thread a(work), b(work);
  a.join();
  b.join();
  assert(initialised == 2);
  assert(counter == 8);
}
