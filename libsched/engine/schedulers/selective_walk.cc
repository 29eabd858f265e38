// Selectively uniform random walk: all orders of the accesses to one place (or of another set of
// events, see EventSelection) are equally likely,
// whatever else the threads do. One thread is intended to make the next of these accesses, drawn in
// proportion to how many it has left; others that are about to make one wait, and everything else
// runs freely.
// Zhao et al.: Selectively Uniform Concurrency Testing, ASPLOS 2025.
#include "libsched/engine/schedulers/pos.h"
#include "libsched/engine/schedulers/remaining_work.h"

namespace rff {
namespace {

class SelectiveWalk : public PartialOrderSampling {
 public:
  explicit SelectiveWalk(const Schedule& schedule)
      : PartialOrderSampling(schedule.seed, Sampling::kBasic),
        random_(hash_combine(schedule.seed, kOwnRandom)),
        key_(schedule.estimates.key),
        selection_(schedule.estimates.selection),
        work_(schedule.estimates, 0) {}

  void pending(Thread& t) override {
    if (t.index >= begun_) {
      begin(t);
    }
    if (t.crowd->size == 1 && selected(*t.pending)) {
      crowds_.push_back(t.crowd);
    }
    PartialOrderSampling::pending(t);
  }
  void withdrawn(Thread& t) override {
    if (t.crowd->size == 1) {
      std::erase(crowds_, t.crowd);
    }
    PartialOrderSampling::withdrawn(t);
  }

  Thread* pick(const PendingThreads& threads) override {
    if (intended_ == RemainingWork::kNobody) {
      intended_ = work_.draw(random_);
    }
    Thread* free = first_without(crowds_);
    bool ready = intended_ != RemainingWork::kNobody && threads.eager().contains(intended_) &&
                 selected(*threads[intended_].pending);
    if (ready && (free == nullptr || random_.chance(1, 2))) {
      return &threads[intended_];
    }
    if (free != nullptr) {
      return free;
    }
    // All wait for the intended thread, which cannot run.
    intended_ = work_.draw_among(threads.eager(), random_);
    return &threads[intended_];
  }

  void executed(Thread& t, const Operation& op, const PendingThreads& others) override {
    PartialOrderSampling::executed(t, op, others);
    if (op.op == OpKind::kThreadEnd) {
      work_.ended(t);
    }
    if (selected(op)) {
      work_.done(t);
      intended_ = work_.draw(random_);
    } else if (intended_ == t.index && work_.left(t.index) == 0) {
      intended_ = work_.draw(random_);
    }
  }

 private:
  static constexpr std::uint64_t kOwnRandom = 0x737572;

  // Without a key, every event is selected.
  bool selected(const Operation& op) const {
    return key_ == 0 || selection_key(op.event, selection_) == key_;
  }

  // If the intended thread creates another, the intention was partly that one's.
  void begin(const Thread& t) {
    begun_ = t.index + 1;
    std::uint64_t before = t.parent != nullptr ? work_.left(t.parent->index) : 0;
    std::uint64_t own = work_.begin(t);
    if (t.parent != nullptr && intended_ == t.parent->index && before > 0 &&
        random_.chance(own, before)) {
      intended_ = t.index;
    }
  }

  Random random_;
  std::uint64_t key_;
  const EventSelection& selection_;
  RemainingWork work_;
  std::uint32_t begun_ = 0;  // threads, in order of creation
  std::uint32_t intended_ = RemainingWork::kNobody;
  std::vector<const Crowd*> crowds_;  // those about to make a selected access
};

}  // namespace

std::unique_ptr<Scheduler> make_selective_walk(const Schedule& schedule, LastWriters&) {
  return std::make_unique<SelectiveWalk>(schedule);
}

}  // namespace rff
