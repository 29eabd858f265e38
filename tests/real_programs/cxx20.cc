// Uses what C++20 added for threads: jthread with a stop token, latch, barrier, atomic wait, and a
// semaphore that only one thread takes (with more, that of GCC 12 loses wake-ups:
// examples/semaphore).
#include <atomic>
#include <barrier>
#include <latch>
#include <mutex>
#include <semaphore>
#include <stop_token>
#include <thread>
#include <vector>

#include "result.h"

namespace {

int count_with_latch() {
  std::latch all_added(3);
  std::atomic<int> sum = 0;
  std::vector<std::jthread> threads;
  for (int i = 1; i <= 3; i++) {
    threads.emplace_back([&, i] {
      sum += i;
      all_added.count_down();
    });
  }
  all_added.wait();
  return sum;
}

int phases_of_barrier() {
  int phases = 0;
  std::barrier phase(3, [&phases]() noexcept { phases++; });
  std::vector<std::jthread> threads;
  for (int i = 0; i < 3; i++) {
    threads.emplace_back([&phase] {
      for (int round = 0; round < 2; round++) phase.arrive_and_wait();
    });
  }
  threads.clear();
  return phases;
}

int value_waited_for() {
  std::atomic<int> value = 0;
  std::jthread setter([&value] {
    value = 7;
    value.notify_all();
  });
  value.wait(0);
  return value;
}

int handed_over() {
  std::binary_semaphore ready(0);
  int item = 0;
  std::jthread producer([&] {
    item = 11;
    ready.release();
  });
  ready.acquire();
  return item;
}

bool stops() {
  std::atomic<bool> stopped = false;
  {
    std::jthread worker([&stopped](const std::stop_token& stop) {
      std::atomic<bool> asked = false;
      std::stop_callback callback(stop, [&asked] {
        asked = true;
        asked.notify_all();
      });
      asked.wait(false);
      stopped = true;
    });
  }
  return stopped;
}

}  // namespace

int main(int argc, char** argv) {
  int counted = count_with_latch(), phases = phases_of_barrier(), waited = value_waited_for(),
      handed = handed_over();
  tell_result(argc, argv, "latch %d, barrier %d, wait %d, semaphore %d, stop %d", counted, phases,
              waited, handed, stops() ? 1 : 0);
  return 0;
}
