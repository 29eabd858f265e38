// Delay bounding: threads run in turn, in the order of their creation, each as far as it can. A
// delay passes over the thread whose turn it is. A few delays reach many bugs, and their number
// bounds how many schedules there are: for k steps and d delays at most k^d.
// Emmi, Qadeer, Rakamaric: Delay-Bounded Scheduling, POPL 2011.
#include <algorithm>
#include <vector>

#include "libsched/engine/schedulers/scheduler.h"

namespace rff {
namespace {

class Delay : public Scheduler {
 public:
  Delay(std::uint64_t seed, std::uint32_t bound, std::uint32_t length) {
    constexpr std::uint32_t kUnknownLength = 200;
    Random random(seed);
    for (std::uint32_t i = 0; i < bound; ++i) {
      delays_.push_back(1 + random.below(length > 0 ? length : kUnknownLength));
    }
    std::sort(delays_.begin(), delays_.end());
  }

  Thread* pick(const PendingThreads& threads) override {
    ++step_;
    const ThreadSet& able = threads.eager();
    std::uint32_t turn = able.contains(last_) ? last_ : after(able, last_);
    for (; next_ < delays_.size() && delays_[next_] <= step_; ++next_) {
      turn = after(able, turn);
    }
    return &threads[turn];
  }

  void executed(Thread& t, const Operation&, const PendingThreads&) override { last_ = t.index; }

 private:
  // Returns the first thread of the set after this one in the order of creation, and the first of
  // all after the last.
  static std::uint32_t after(const ThreadSet& able, std::uint32_t index) {
    std::size_t before = able.below(index + 1);
    return before < able.size() ? able.at(before) : able.first();
  }

  std::vector<std::uint64_t> delays_;  // steps, sorted
  std::size_t next_ = 0;
  std::uint64_t step_ = 0;
  std::uint32_t last_ = 0;
};

}  // namespace

std::unique_ptr<Scheduler> make_delay(const Schedule& schedule, LastWriters&) {
  return std::make_unique<Delay>(schedule.seed, schedule.delay_bound, schedule.pct_length);
}

}  // namespace rff
