// A latch opens when all have arrived; a barrier runs its completion step once per phase.
#include <atomic>
#include <barrier>
#include <cassert>
#include <latch>
#include <thread>
#include <vector>

int main() {
  constexpr int kThreads = 3;
  std::latch ready(kThreads);
  std::atomic<int> arrived{0};
  int phases = 0;
  std::barrier phase(kThreads, [&]() noexcept { phases++; });
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; i++)
    threads.emplace_back([&] {
      arrived++;
      ready.arrive_and_wait();
      assert(arrived == kThreads);
      phase.arrive_and_wait();
      assert(phases == 1);
      phase.arrive_and_wait();
      assert(phases == 2);
    });
  for (auto& thread : threads) thread.join();
}
