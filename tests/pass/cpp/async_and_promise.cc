// Futures: a value, an exception, a promise kept by another thread, a packaged task.
#include <cassert>
#include <future>
#include <stdexcept>
#include <thread>

int main() {
  auto value = std::async(std::launch::async, [] { return 42; });
  auto error =
      std::async(std::launch::async, []() -> int { throw std::runtime_error("expected"); });
  std::promise<int> promise;
  auto kept = promise.get_future();
  std::thread keeper([&] { promise.set_value(7); });
  std::packaged_task<int(int)> task([](int x) { return x + 1; });
  auto packaged = task.get_future();
  std::thread runner(std::move(task), 1);
  assert(value.get() == 42);
  bool caught = false;
  try {
    error.get();
  } catch (const std::runtime_error&) {
    caught = true;
  }
  assert(caught);
  assert(kept.get() == 7 && packaged.get() == 2);
  keeper.join();
  runner.join();
}
