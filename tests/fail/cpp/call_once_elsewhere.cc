// The object is published before call_once has filled it; a thread that looks at the pointer alone
// sees it empty.
#include <atomic>
#include <cassert>
#include <mutex>
#include <thread>

int main() {
  std::once_flag once;
  struct {
    std::atomic<bool> published{false};
    std::atomic<int> value{0};
  } object;
  auto initialise = [&] {
    object.published.store(true);
    object.value.store(7);
  };
  std::thread a([&] { std::call_once(once, initialise); });
  std::thread b([&] {
    if (!object.published.load()) std::call_once(once, initialise);
    assert(object.value.load() == 7);
  });
  a.join();
  b.join();
}
