// PCT: random priorities, the highest enabled thread runs; at depth-1 random steps the running
// thread's priority drops below all others. Finds a bug of depth d with probability ≥ 1/(n·k^(d-1))
// for n threads and k steps.
#include <algorithm>
#include <vector>

#include "libsched/engine/schedulers/scheduler.h"
#include "libsched/engine/schedulers/tournament.h"

namespace rff {
namespace {

class Pct : public Scheduler, private CrowdListener {
 public:
  Pct(std::uint64_t seed, std::uint32_t depth, std::uint32_t length) : random_(seed) {
    constexpr std::uint32_t kUnknownLength = 200;
    std::uint32_t steps = length > 0 ? length : kUnknownLength;
    for (std::uint32_t i = 1; i < depth; ++i) {
      changes_.push_back(1 + random_.below(steps));
    }
    std::sort(changes_.begin(), changes_.end());
  }

  CrowdListener* crowds() override { return this; }

  void pending(Thread& t) override {
    if (t.index >= priorities_.size()) {
      priorities_.resize(t.index + 1);
    }
    if (priority(t) == 0) {
      priority(t) = kInitial + (random_.next() >> 2);
    }
    std::vector<Thread*>& crowd = members(*t.crowd);
    crowd.push_back(&t);
    std::push_heap(crowd.begin(), crowd.end(), lower());
    reconsider(*t.crowd);
  }

  void withdrawn(Thread& t) override {
    std::vector<Thread*>& crowd = members(*t.crowd);
    if (crowd.front() == &t) {
      std::pop_heap(crowd.begin(), crowd.end(), lower());
      crowd.pop_back();
    } else {
      std::erase(crowd, &t);
      std::make_heap(crowd.begin(), crowd.end(), lower());
    }
    reconsider(*t.crowd);
  }

  void reconsider(const Crowd& c) override {
    const std::vector<Thread*>& crowd = members(c);
    bool none = crowd.empty() || !c.may_run();
    first_.set(c.number, none ? Tournament::kAbsent : ~priority(*crowd.front()));
  }

  Thread* pick(const PendingThreads&) override {
    ++step_;
    while (next_change_ < changes_.size() && changes_[next_change_] <= step_) {
      // Later change points give lower priorities.
      Thread& running = highest();
      withdrawn(running);
      priority(running) = changes_.size() - next_change_;
      pending(running);
      ++next_change_;
    }
    return &highest();
  }

 private:
  static constexpr std::uint64_t kInitial = std::uint64_t{1} << 32;

  std::uint64_t& priority(const Thread& t) { return priorities_[t.index]; }
  // Order of threads in the heaps.
  struct Lower {
    const std::vector<std::uint64_t>& priorities;
    bool operator()(const Thread* a, const Thread* b) const {
      return priorities[a->index] < priorities[b->index];
    }
  };
  Lower lower() const { return {priorities_}; }

  std::vector<Thread*>& members(const Crowd& c) {
    if (c.number >= crowds_.size()) {
      crowds_.resize(c.number + 1);
    }
    return crowds_[c.number];
  }
  Thread& highest() const { return *crowds_[first_.best()].front(); }

  Random random_;
  std::vector<std::uint64_t> priorities_;  // by Thread::index; 0: none yet
  std::vector<std::uint64_t> changes_;
  std::size_t next_change_ = 0;
  std::uint64_t step_ = 0;
  std::vector<std::vector<Thread*>> crowds_;  // heaps by crowd number, highest priority in front
  Tournament first_;                          // the highest priority of each crowd that may run
};

}  // namespace

std::unique_ptr<Scheduler> make_pct(const Schedule& schedule, LastWriters&) {
  return std::make_unique<Pct>(schedule.seed, schedule.pct_depth, schedule.pct_length);
}

}  // namespace rff
