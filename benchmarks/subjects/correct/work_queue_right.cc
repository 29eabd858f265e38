// A queue of tasks with a mutex and a condition variable of the C++ library; workers end on a
// closing mark. Correct: every task runs exactly once.
#include <cassert>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <vector>

int main() {
  constexpr int kTasks = 4, kWorkers = 2;
  std::mutex mutex;
  std::condition_variable changed;
  std::deque<int> tasks;
  bool closed = false;
  int done[kTasks] = {};

  auto work = [&] {
    for (;;) {
      std::unique_lock lock(mutex);
      changed.wait(lock, [&] { return closed || !tasks.empty(); });
      if (tasks.empty()) return;
      int task = tasks.front();
      tasks.pop_front();
      lock.unlock();
      done[task]++;
    }
  };

  std::vector<std::thread> workers;
  for (int i = 0; i < kWorkers; i++) workers.emplace_back(work);
  for (int i = 0; i < kTasks; i++) {
    std::lock_guard lock(mutex);
    tasks.push_back(i);
    changed.notify_one();
  }
  {
    std::lock_guard lock(mutex);
    closed = true;
  }
  changed.notify_all();
  for (auto& worker : workers) worker.join();
  for (int count : done) assert(count == 1);
}
