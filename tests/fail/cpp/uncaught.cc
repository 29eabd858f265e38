// A thread throws what nobody catches, if it looks between two writes of another.
#include <stdexcept>
#include <thread>

static volatile int state;

int main() {
  std::thread writer([] {
    state = 1;
    state = 2;
  });
  std::thread reader([] {
    if (state == 1) {
      throw std::runtime_error("half done");
    }
  });
  writer.join();
  reader.join();
}
