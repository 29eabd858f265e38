// Guided: the threads pass their scheduling points in a given order as far as they can. Where the
// order asks for a thread that cannot run, the next one that can goes first; beyond the end of the
// order threads run as long as they can.
#include <limits>
#include <vector>

#include "libsched/schedulers/scheduler.h"

namespace rff {
namespace {

class Guided : public Scheduler {
 public:
  explicit Guided(const std::vector<Decision>& order) {
    for (std::size_t i = 0; i < order.size(); ++i) {
      of(order[i].thread).ranks.push_back(i);
    }
  }

  Thread* pick(std::span<Thread* const> enabled) override {
    Thread* best = nullptr;
    std::size_t best_rank = 0;
    for (Thread* t : enabled) {
      std::size_t rank = next_rank(*t);
      if (best == nullptr || rank < best_rank || (rank == best_rank && t->index == last_)) {
        best = t;
        best_rank = rank;
      }
    }
    return best;
  }

  void executed(Thread& t, const Operation&, std::span<Thread* const>) override {
    ++of(t.index).passed;
    last_ = t.index;
  }

 private:
  struct Progress {
    std::vector<std::size_t> ranks;  // places in the order, one per scheduling point of the thread
    std::size_t passed = 0;
  };

  Progress& of(std::uint32_t thread) {
    if (thread >= threads_.size()) {
      threads_.resize(thread + 1);
    }
    return threads_[thread];
  }

  std::size_t next_rank(const Thread& t) {
    const Progress& p = of(t.index);
    return p.passed < p.ranks.size() ? p.ranks[p.passed] : std::numeric_limits<std::size_t>::max();
  }

  std::vector<Progress> threads_;
  std::uint32_t last_ = 0;
};

}  // namespace

std::unique_ptr<Scheduler> make_guided(const std::vector<Decision>& order) {
  return std::make_unique<Guided>(order);
}

}  // namespace rff
