// Work for another thread refers to variables of the function that has posted it, which does not
// always wait.
#include <atomic>
#include <functional>
#include <future>
#include <thread>

namespace {

std::atomic<int> urgent{0};
std::atomic<bool> posted{false};

[[gnu::noinline]] int count(std::packaged_task<void()>* work) {
  int sum = 0;
  *work = std::packaged_task<void()>([&sum] { sum += 2; });
  std::future<void> end = work->get_future();
  posted.store(true);
#ifndef REPAIRED
  if (urgent.load() != 0) {
    return -1;
  }
#endif
  end.wait();
  return sum;
}

}  // namespace

int main() {
  std::packaged_task<void()> work;
  std::thread hurrying([] { urgent.store(1); });
  std::thread worker([&work] {
    while (!posted.load()) {
      std::this_thread::yield();
    }
    work();
  });
  count(&work);
  hurrying.join();
  worker.join();
  return 0;
}
