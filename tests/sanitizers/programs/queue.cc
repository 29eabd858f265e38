// Correct: producers and consumers with everything that a sanitizer looks at.
#include <atomic>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace {

std::mutex lock;
std::condition_variable filled;
std::vector<std::unique_ptr<std::string>> queue;
bool closed = false;
std::atomic<int> taken{0};

void consume() {
  for (;;) {
    std::unique_lock<std::mutex> guard(lock);
    filled.wait(guard, [] { return closed || !queue.empty(); });
    if (queue.empty()) {
      return;
    }
    std::unique_ptr<std::string> item = std::move(queue.back());
    queue.pop_back();
    guard.unlock();
    taken += static_cast<int>(item->size());
  }
}

void produce(int number) {
  for (int i = 0; i < 2; ++i) {
    char text[32];
    std::snprintf(text, sizeof text, "item %d of producer %d", i, number);
    char* copy = static_cast<char*>(std::malloc(std::strlen(text) + 1));
    std::memcpy(copy, text, std::strlen(text) + 1);
    auto item = std::make_unique<std::string>(copy);
    std::free(copy);
    std::lock_guard<std::mutex> guard(lock);
    queue.push_back(std::move(item));
    filled.notify_one();
  }
}

}  // namespace

int main() {
  std::vector<std::thread> consumers;
  consumers.emplace_back(consume);
  consumers.emplace_back(consume);
  std::thread first(produce, 1);
  std::thread second(produce, 2);
  first.join();
  second.join();
  {
    std::lock_guard<std::mutex> guard(lock);
    closed = true;
  }
  filled.notify_all();
  for (std::thread& t : consumers) {
    t.join();
  }
  return taken == 4 * 20 ? 0 : 3;
}
