// PCT: random priorities, the highest enabled thread runs; at depth-1 random steps the running
// thread's priority drops below all others. Finds a bug of depth d with probability ≥ 1/(n·k^(d-1))
// for n threads and k steps.
#include <algorithm>
#include <vector>

#include "libsched/schedulers/scheduler.h"

namespace rff {
namespace {

class Pct : public Scheduler {
 public:
  Pct(std::uint64_t seed, std::uint32_t depth, std::uint32_t length) : random_(seed) {
    constexpr std::uint32_t kUnknownLength = 200;
    std::uint32_t steps = length > 0 ? length : kUnknownLength;
    for (std::uint32_t i = 1; i < depth; ++i) {
      changes_.push_back(1 + random_.below(steps));
    }
    std::sort(changes_.begin(), changes_.end());
  }

  void pending(Thread& t) override {
    if (t.priority == 0) {
      t.priority = kInitial + (random_.next() >> 2);
    }
  }

  Thread* pick(const PendingThreads& threads) override {
    ++step_;
    Thread* best = highest(threads);
    while (next_change_ < changes_.size() && changes_[next_change_] <= step_) {
      // Later change points give lower priorities.
      best->priority = changes_.size() - next_change_;
      ++next_change_;
      best = highest(threads);
    }
    return best;
  }

 private:
  static constexpr std::uint64_t kInitial = std::uint64_t{1} << 32;

  static Thread* highest(const PendingThreads& threads) {
    Thread* best = nullptr;
    threads.eager().for_each([&](std::uint32_t index) {
      Thread& t = threads[index];
      best = best == nullptr || best->priority < t.priority ? &t : best;
    });
    return best;
  }

  Random random_;
  std::vector<std::uint64_t> changes_;
  std::size_t next_change_ = 0;
  std::uint64_t step_ = 0;
};

}  // namespace

std::unique_ptr<Scheduler> make_pct(std::uint64_t seed, std::uint32_t depth, std::uint32_t length) {
  return std::make_unique<Pct>(seed, depth, length);
}

}  // namespace rff
