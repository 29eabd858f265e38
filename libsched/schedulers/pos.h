// Partial order sampling: every pending event has a random score, the highest runs, and then the
// scores of that event and of those racing with it are drawn anew.
#pragma once

#include "libsched/schedulers/scheduler.h"
#include "libsched/support/flat_map.h"

namespace rff {

class PartialOrderSampling : public Scheduler {
 public:
  // With `window`, a thread that is about to use a place again, which nobody has written since it
  // last did, has a smaller chance: in between is where others do the most harm. Never none, or
  // loops around such a pair would go on for ever.
  explicit PartialOrderSampling(std::uint64_t seed, bool window = false)
      : random_(seed), window_(window) {}

  void pending(Thread& t) override {
    t.score = draw();
    t.inside_window = window_ && inside_window(t);
  }

  Thread* pick(std::span<Thread* const> enabled) override {
    Thread* best = enabled[0];
    for (Thread* t : enabled) {
      if (effective(*t) > effective(*best)) {
        best = t;
      }
    }
    return best;
  }

  void executed(Thread& t, const Operation& op, std::span<Thread* const> threads) override {
    for (Thread* other : threads) {
      if (other != &t && other->races_with(t)) {
        other->score = draw();
        other->inside_window &= !op.writes();
      }
    }
    if (window_ && op.address != 0) {
      remember(t, op);
    }
  }

 private:
  static constexpr std::uint64_t kWindowFactor = 5;

  std::uint64_t draw() { return random_.next(); }
  static std::uint64_t effective(const Thread& t) {
    return t.inside_window ? t.score / kWindowFactor : t.score;
  }
  static std::uint64_t key(const Thread& t, std::uint64_t address) {
    return address * 1009 + t.index;
  }

  bool inside_window(const Thread& t) const {
    const auto* mine = used_.find(key(t, t.pending->address));
    if (mine == nullptr) {
      return false;
    }
    const auto* written = written_.find(t.pending->address);
    return written == nullptr || written->value <= mine->value;
  }

  void remember(const Thread& t, const Operation& op) {
    ++now_;
    used_[key(t, op.address)] = now_;
    if (op.writes()) {
      written_[op.address] = now_;
    }
  }

  Random random_;
  bool window_;
  std::uint64_t now_ = 0;
  FlatMap<std::uint64_t> used_;     // (thread, address) → when, last
  FlatMap<std::uint64_t> written_;  // address → when, last
};

}  // namespace rff
