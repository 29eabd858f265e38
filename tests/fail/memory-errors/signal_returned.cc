// A thread waits for a condition variable of its own function, and has returned from it when
// another one signals.
#include <condition_variable>
#include <mutex>
#include <thread>

namespace {

struct Request {
  std::mutex mutex;
  std::condition_variable done_changed;
  bool done = false;
};

void answer(Request* request) {
#ifdef REPAIRED
  std::lock_guard guard(request->mutex);
  request->done = true;
#else
  {
    std::lock_guard guard(request->mutex);
    request->done = true;
  }
#endif
  request->done_changed.notify_one();
}

[[gnu::noinline]] void ask(std::thread& answerer) {
  Request request;
  answerer = std::thread(answer, &request);
  std::unique_lock lock(request.mutex);
  request.done_changed.wait(lock, [&] { return request.done; });
}

}  // namespace

int main() {
  std::thread answerer;
  ask(answerer);
  answerer.join();
  return 0;
}
