// Systematic: makes the steps of an order that the fuzzer has planned, and goes on from there. A
// step is what a thread does from one scheduling point to its next. What has no effect on others
// (beginning, creating and joining threads, waking up, yielding) is done at once and is no step.
// considered() tells the fuzzer which threads could have made each step.
#include <algorithm>

#include "libsched/engine/schedulers/scheduler.h"

namespace rff {
namespace {

class Systematic : public Scheduler {
 public:
  explicit Systematic(const Schedule& schedule)
      : plan_(schedule.exploration),
        random_(schedule.exploration.seed),
        asleep_(schedule.exploration.asleep.begin(), schedule.exploration.asleep.end()) {}

  Thread* pick(const PendingThreads& threads) override {
    if (Thread* first = without_effect(threads)) {
      return first;
    }
    options_.clear();
    threads.eager().for_each([&](std::uint32_t index) { options_.push_back(index); });
    Thread& next = threads[wanted(threads)];
    for (std::uint32_t index : options_) {
      if (!reads_last() || index == next.index) {
        note(threads[index], *threads[index].pending);
      }
    }
    if (threads.enabled().size() > options_.size() && leaves_out(threads)) {
      considered_.back().flags |= ConsideredAction::kSpinsLeft;
    }
    return &next;
  }

  void executed(Thread& t, const Operation& op, const PendingThreads& others) override {
    others_ = &others;
    if (!is_step(op, op.timed_out)) {
      return;
    }
    if (first_open_ == considered_.size()) {
      note(t, op);
      // Nobody asked this scheduler.
      others.enabled().for_each([&](std::uint32_t index) {
        if (index != t.index && !others[index].spin.waits) {
          considered_.back().flags |= others.eager().contains(index) ? ConsideredAction::kOverruled
                                                                     : ConsideredAction::kSpinsLeft;
        }
      });
    }
    for (std::size_t i = first_open_; i < considered_.size(); ++i) {
      if (considered_[i].thread == t.index) {
        considered_[i].flags |= ConsideredAction::kChosen;
      }
    }
    first_open_ = considered_.size();
    last_ = t.index;
    if (++choice_ > plan_.order.size()) {
      std::erase_if(asleep_, [&](std::uint32_t index) {
        return index == t.index || !others.all().contains(index) || wakes(t, others[index]);
      });
    }
  }

  // Ends with what the threads are about to do now.
  std::span<const ConsideredAction> considered() override {
    considered_.resize(first_open_);
    if (others_ != nullptr) {
      others_->all().for_each([&](std::uint32_t index) {
        const Thread& t = (*others_)[index];
        // An attendant that cannot act needs a thread that goes on.
        bool may_come = !t.attendant || others_->enabled().contains(index);
        if (t.pending != nullptr && may_come && is_step(*t.pending, t.may_time_out)) {
          note(t, *t.pending);
        }
      });
    }
    return considered_;
  }

 private:
  // The fuzzer learns that there were more than fit.
  static constexpr std::size_t kMostConsidered = decltype(RunRecord::considered)::capacity();

  bool is_step(const Operation& op, bool times_out) const {
    if (plan_.every_primitive) {
      return true;
    }
    switch (op.op) {
      case OpKind::kThreadCreate:
      case OpKind::kThreadStart:
      case OpKind::kYield: return false;
      case OpKind::kThreadJoin:
      case OpKind::kWake: return times_out;
      default: return true;
    }
  }

  Thread* without_effect(const PendingThreads& threads) const {
    Thread* found = nullptr;
    threads.eager().for_each([&](std::uint32_t index) {
      Thread& t = threads[index];
      if (found == nullptr && !is_step(*t.pending, PendingThreads::needs_timeout(t))) {
        found = &t;
      }
    });
    return found;
  }

  // Whether a thread that spins could go on. One that waits could not: it would change nothing.
  static bool leaves_out(const PendingThreads& threads) {
    bool any = false;
    threads.enabled().for_each([&](std::uint32_t index) {
      any |= !threads.eager().contains(index) && !threads[index].spin.waits;
    });
    return any;
  }

  void note(const Thread& t, const Operation& op) {
    if (considered_.size() > kMostConsidered) {
      return;  // the record overflows
    }
    bool may_fail = op.expected != nullptr || op.tries != nullptr;
    auto flags =
        static_cast<std::uint8_t>((op.waits_for != nullptr ? ConsideredAction::kMayWait : 0) |
                                  (op.writes() ? ConsideredAction::kWrites : 0) |
                                  (op.awaited != nullptr ? ConsideredAction::kAwaits : 0) |
                                  (may_fail ? ConsideredAction::kMayFail : 0));
    considered_.push_back({op.address, op.id, choice_, flags, op.op,
                           static_cast<std::uint16_t>(t.index),
                           static_cast<std::uint32_t>(t.touches_end - t.touches)});
  }

  std::uint32_t wanted(const PendingThreads& threads) {
    if (choice_ < plan_.order.size()) {
      std::uint32_t planned = plan_.order[choice_].thread;
      if (threads.eager().contains(planned)) {
        return planned;
      }
    }
    std::vector<std::uint32_t> awake;
    for (std::uint32_t index : options_) {
      if (std::find(asleep_.begin(), asleep_.end(), index) == asleep_.end()) {
        awake.push_back(index);
      }
    }
    return rest(awake.empty() ? options_ : awake, threads);
  }

  // `able` is sorted.
  std::uint32_t rest(const std::vector<std::uint32_t>& able, const PendingThreads& threads) {
    switch (plan_.rest) {
      case Exploration::Rest::kReadsLast: {
        auto writer = std::find_if(able.begin(), able.end(), [&](std::uint32_t index) {
          return !threads[index].pending->reads();
        });
        return writer == able.end() ? able.front() : *writer;
      }
      case Exploration::Rest::kRandom: return able[random_.below(able.size())];
      case Exploration::Rest::kLast: {
        auto next = std::upper_bound(able.begin(), able.end(), last_);
        return next == able.begin() ? able.back() : *(next - 1);
      }
      default: {
        auto next = std::lower_bound(able.begin(), able.end(), last_);
        return next == able.end() ? able.front() : *next;
      }
    }
  }

  bool reads_last() const { return plan_.rest == Exploration::Rest::kReadsLast; }

  // Whether a step of thread `a` ends the sleep of thread `b`.
  bool wakes(const Thread& a, const Thread& b) const {
    bool apart = a.touches_end <= b.touches || b.touches_end <= a.touches;
    if (apart && b.pending->awaited != nullptr && a.touches_as_writer) {
      return std::any_of(b.pending->awaited->begin(), b.pending->awaited->end(),
                         [&](const AwaitedBytes& bytes) {
                           return a.touches < bytes.end && bytes.begin < a.touches_end;
                         });
    }
    return !apart && (a.touches_as_writer || (b.touches_as_writer && !reads_last()));
  }

  const Exploration& plan_;
  Random random_;
  std::vector<std::uint32_t> asleep_;
  std::vector<std::uint32_t> options_;
  std::vector<ConsideredAction> considered_;
  std::size_t first_open_ = 0;  // where the options of the latest choice begin
  std::uint32_t choice_ = 0;    // number of steps made
  std::uint32_t last_ = 0;
  const PendingThreads* others_ = nullptr;
};

}  // namespace

std::unique_ptr<Scheduler> make_systematic(const Schedule& schedule, LastWriters&) {
  return std::make_unique<Systematic>(schedule);
}

}  // namespace rff
