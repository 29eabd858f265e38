// Round robin: the first thread goes on until it has to wait; from then on every point is another
// thread's, the youngest first. The opening of a search: all threads are alive at the same time and
// nobody gets through two accesses in one go.
#include "libsched/schedulers/scheduler.h"

namespace rff {
namespace {

class RoundRobin : public Scheduler {
 public:
  Thread* pick(std::span<Thread* const> enabled) override {
    if (opening_ && enabled[0]->index == 0) {
      return enabled[0];
    }
    opening_ = false;
    for (std::size_t i = enabled.size(); i-- > 0;) {
      if (enabled[i]->index < last_) {
        return enabled[i];
      }
    }
    return enabled.back();
  }

  void executed(Thread& t, const Operation&, std::span<Thread* const>) override {
    opening_ &= t.index == 0;
    last_ = t.index;
  }

 private:
  bool opening_ = true;
  std::uint32_t last_ = 0;
};

}  // namespace

std::unique_ptr<Scheduler> make_round_robin() { return std::make_unique<RoundRobin>(); }

}  // namespace rff
