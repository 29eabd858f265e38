// atomic::wait and notify hand a number to and fro.
#include <atomic>
#include <cassert>
#include <thread>

int main() {
  std::atomic<int> turn{0};
  int moves = 0;
  auto play = [&](int self) {
    for (int i = 0; i < 3; i++) {
      for (int now = turn.load(); now != self; now = turn.load()) turn.wait(now);
      moves++;
      turn.store(1 - self);
      turn.notify_all();
    }
  };
  std::thread a(play, 0), b(play, 1);
  a.join();
  b.join();
  assert(moves == 6);
}
