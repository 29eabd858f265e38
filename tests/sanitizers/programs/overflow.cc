// Three threads share two places: who looks while another one takes the last has none.
#include <thread>

namespace {

int* places;
volatile int used;

void take(int value) {
  if (used < 2) {
    used = used + 1;
    places[used - 1] = value;  // found here
  }
}

}  // namespace

int main() {
  places = new int[2];
  std::thread a(take, 1);
  std::thread b(take, 2);
  std::thread c(take, 3);
  a.join();
  b.join();
  c.join();
  delete[] places;
}
