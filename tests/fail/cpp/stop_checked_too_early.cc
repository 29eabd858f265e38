// A jthread looks at the stop request first and at the data afterwards, when its owner may already
// have spoilt them.
#include <cassert>
#include <stop_token>
#include <thread>

int main() {
  volatile int value = 1;
  {
    std::jthread worker([&](std::stop_token stop) {
      if (!stop.stop_requested()) assert(value == 1);
    });
    worker.request_stop();
    value = 0;
  }
}
