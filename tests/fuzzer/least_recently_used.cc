// Threads that hold the lock for reading move an element to the front: code of the C++ library,
// which is in no header, links the elements of a list. Only their order tells that a link was lost.
#include <cassert>
#include <list>
#include <shared_mutex>
#include <thread>

int main() {
  std::list<int> recent = {1, 2, 3};
  std::shared_mutex lock;
  auto touch = [&](int value) {
    std::shared_lock guard(lock);
    for (auto at = recent.begin(); at != recent.end(); ++at) {
      if (*at == value) {
        recent.splice(recent.begin(), recent, at);
        return;
      }
    }
  };
  std::thread first(touch, 2);
  std::thread second(touch, 3);
  first.join();
  second.join();
  std::size_t elements = 0;
  for (auto at = recent.begin(); at != recent.end(); ++at) {
    ++elements;
    assert(elements <= 3);
  }
  assert(elements == 3);
}
