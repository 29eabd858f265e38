// Unit tests of PendingThreads: the incremental state equals what checking every thread anew gives.
#include "libsched/engine/pending_threads.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <memory>
#include <set>

#include "schedule/hash.h"

namespace rff {
namespace {

bool is_free(const Operation& op) { return *static_cast<const bool*>(op.state); }
constexpr WaitRule kFree = {is_free, nullptr, WaitObject::kMutex};
constexpr WaitRule kNotifying = {is_free, nullptr, WaitObject::kMutex, true};

// Tracks which crowds may run, from the reported changes alone.
class Listener : public CrowdListener {
 public:
  void pending(Thread& t) override {
    members[t.crowd].insert(&t);
    reconsider(*t.crowd);
  }
  void withdrawn(Thread& t) override {
    members[t.crowd].erase(&t);
    if (members[t.crowd].empty()) {
      members.erase(t.crowd);
      may_run.erase(t.crowd);
    }
  }
  void reconsider(const Crowd& c) override { may_run[&c] = c.may_run(); }

  std::map<const Crowd*, std::set<Thread*>> members;
  std::map<const Crowd*, bool> may_run;
};

class PendingThreadsTest : public testing::Test {
 protected:
  static constexpr std::size_t kThreads = 150;  // more than a word of a ThreadSet
  static constexpr std::size_t kLocks = 4;

  PendingThreadsTest() {
    for (std::uint32_t i = 0; i < kThreads; ++i) {
      threads_.push_back(std::make_unique<Thread>());
      threads_.back()->index = i;
    }
    pending_.start(&listener_, kNoPreemption);
  }

  void stop(std::size_t i, const Operation& op) {
    operations_[i] = op;
    threads_[i]->stop_with(operations_[i]);
    pending_.insert(*threads_[i]);
  }
  void go_on(Thread& t) {
    pending_.erase(t);
    t.state = ThreadState::kRunning;
    t.cancel_due = false;
    t.spin.spinning = random_.chance(1, 8);
  }
  void set_free(std::size_t lock, bool free) {
    free_[lock] = free;
    pending_.changed(&free_[lock]);
  }

  // Returns a random access or wait of any kind.
  Operation any_operation() {
    Operation op;
    op.op = random_.chance(1, 2) ? OpKind::kWrite : OpKind::kRead;
    op.address = random_.chance(1, 8) ? 0 : 0x1000 + random_.below(64);
    op.size = random_.chance(1, 8) ? 100 : 1u << random_.below(4);
    op.id = random_.below(2);
    if (random_.chance(1, 2)) {
      op.op = OpKind::kLock;
      op.waits_for = random_.chance(1, 2) ? &kFree : &kNotifying;
      op.state = &free_[random_.below(kLocks)];
      op.deadline = random_.chance(1, 4) ? now_ + random_.below(20) * kUnit : kNever;
      op.cancellable = random_.chance(1, 4);
      op.external = random_.chance(1, 8);
    }
    return op;
  }

  bool can_go_on(const Thread& t, bool any_timeout) const {
    const Operation& op = *t.pending;
    return op.waits_for == nullptr || is_free(op) || op.deadline <= now_ || op.timed_out ||
           (op.cancellable && t.cancel_due) || (any_timeout && op.deadline != kNever);
  }

  static std::vector<Thread*> listed(const PendingThreads& pending, const ThreadSet& set) {
    std::vector<Thread*> list;
    set.for_each([&](std::uint32_t index) { list.push_back(&pending[index]); });
    return list;
  }

  void expect_as_if_asked_anew(bool any_timeout) {
    std::vector<Thread*> all;
    std::vector<Thread*> enabled;
    std::vector<Thread*> eager;
    std::uint64_t nearest = kNever;
    for (auto& t : threads_) {
      if (t->state == ThreadState::kPending) {
        all.push_back(t.get());
        bool goes_on = can_go_on(*t, any_timeout);
        if (goes_on) enabled.push_back(t.get());
        if (goes_on && !t->spin.spinning) eager.push_back(t.get());
        if (!can_go_on(*t, false)) nearest = std::min(nearest, t->pending->deadline);
        EXPECT_EQ(listener_.may_run.at(t->crowd), goes_on && !t->spin.spinning);
        EXPECT_TRUE(listener_.members.at(t->crowd).contains(t.get()));
        EXPECT_EQ(t->crowd->size, listener_.members.at(t->crowd).size());
      }
    }
    EXPECT_EQ(listed(pending_, pending_.all()), all);
    EXPECT_EQ(listed(pending_, pending_.enabled()), enabled);
    EXPECT_EQ(listed(pending_, pending_.eager()), eager);
    EXPECT_EQ(pending_.eager().size(), eager.size());
    EXPECT_EQ(pending_.eager().several(), eager.size() > 1);
    EXPECT_EQ(pending_.nearest_deadline(), nearest);
  }

  Listener listener_;
  PendingThreads pending_;
  std::vector<std::unique_ptr<Thread>> threads_;
  Operation operations_[kThreads];
  bool free_[kLocks] = {true, false, true, false};
  static constexpr std::uint64_t kUnit = 4 * kStepTime;
  std::uint64_t now_ = 0;
  Random random_{1};
};

TEST_F(PendingThreadsTest, EnabledOnesAreThoseThatCouldGoOn) {
  for (bool any_timeout : {false, true}) {
    pending_.start(&listener_, any_timeout ? kAnyPreemption : kNoPreemption);
    for (int step = 0; step < 10'000; ++step) {
      std::size_t i = random_.below(kThreads);
      Thread& t = *threads_[i];
      if (t.state == ThreadState::kPending) {
        go_on(t);
      } else {
        stop(i, any_operation());
      }
      set_free(random_.below(kLocks), random_.chance(1, 2));
      Thread& other = *threads_[random_.below(kThreads)];
      if (other.state == ThreadState::kPending && random_.chance(1, 20)) {
        (random_.chance(1, 2) ? other.cancel_due : other.spin.spinning) ^= true;
        pending_.reconsider(other);
      }
      now_ += random_.below(2);
      pending_.update(now_, static_cast<std::uint64_t>(step));
      expect_as_if_asked_anew(any_timeout);
      if (HasFailure()) FAIL() << "step " << step;
    }
    for (auto& t : threads_) {
      if (t->state == ThreadState::kPending) go_on(*t);
    }
  }
}

TEST_F(PendingThreadsTest, CrowdsAreOfThreadsAboutToDoTheSame) {
  for (int step = 0; step < 10'000; ++step) {
    std::size_t i = random_.below(kThreads);
    if (threads_[i]->state == ThreadState::kPending) {
      go_on(*threads_[i]);
    } else {
      stop(i, any_operation());
    }
  }
  auto same = [](const Thread& a, const Thread& b) {
    const Operation& x = *a.pending;
    const Operation& y = *b.pending;
    return x.id == y.id && a.touches == b.touches && a.touches_end == b.touches_end &&
           x.writes() == y.writes() && a.group == b.group && a.spin.spinning == b.spin.spinning;
  };
  for (auto& a : threads_) {
    for (auto& b : threads_) {
      if (a->state == ThreadState::kPending && b->state == ThreadState::kPending) {
        EXPECT_EQ(a->crowd == b->crowd, same(*a, *b));
      }
    }
  }
}

TEST_F(PendingThreadsTest, RacingCrowdsAreThoseWhoseOrderMatters) {
  for (int step = 0; step < 10'000; ++step) {
    std::size_t i = random_.below(kThreads);
    Thread& t = *threads_[i];
    if (t.state != ThreadState::kPending) {
      stop(i, any_operation());
      continue;
    }
    go_on(t);
    std::set<const Crowd*> racing;
    pending_.for_each_racing(t, [&](const Crowd& c) { EXPECT_TRUE(racing.insert(&c).second); });
    for (const auto& other : threads_) {
      if (other->state == ThreadState::kPending) {
        bool overlap = other->touches < t.touches_end && t.touches < other->touches_end;
        bool race = overlap && (other->touches_as_writer || t.touches_as_writer);
        ASSERT_EQ(racing.contains(other->crowd), race) << "step " << step;
      }
    }
  }
}

TEST_F(PendingThreadsTest, NoThreadIsReadyWhileItWaits) {
  Operation op;
  op.op = OpKind::kLock;
  op.waits_for = &kFree;
  op.state = &free_[1];
  stop(3, op);
  for (std::uint64_t decision = 1; decision <= 50; ++decision) {
    free_[1] = decision == 50;
    pending_.update(0, decision);
  }
  EXPECT_TRUE(pending_.enabled().contains(3));
  EXPECT_EQ(PendingThreads::ready_since(*threads_[3]), 50u);
}

// By the definition: a deadline may come if it is at most `kLong` after every other thread that can
// run and does not spin did so last or became able to, and after the deadlines before it, less what
// the steps since the wait began count for.
TEST_F(PendingThreadsTest, ATimedWaitMayEndWhileOthersArePreemptedForLong) {
  constexpr Preemption kLong = 7 * kUnit;
  constexpr std::size_t kFew = 6;  // so that each often runs
  pending_.start(&listener_, kLong);
  std::uint64_t able_since[kThreads] = {};
  bool able_before[kThreads] = {};
  bool timed_before[kThreads] = {};
  int early = 0;
  int kept = 0;
  for (std::uint64_t step = 0; step < 20'000; ++step) {
    std::size_t i = random_.below(kFew);
    if (threads_[i]->state == ThreadState::kPending) {
      go_on(*threads_[i]);
    } else {
      threads_[i]->ready_time = able_since[i] = now_;
      threads_[i]->ran_in = step;
      stop(i, any_operation());
      able_before[i] = true;
      timed_before[i] = false;
    }
    set_free(random_.below(kLocks), random_.chance(1, 4));
    now_ += random_.chance(1, 16) ? random_.below(6) * kUnit : 0;
    pending_.update(now_, step);
    std::uint64_t earliest = kNever;
    for (std::size_t k = 0; k < kThreads; ++k) {
      Thread& t = *threads_[k];
      if (t.state != ThreadState::kPending) continue;
      bool able = can_go_on(t, false);
      // A wait that ended by its deadline became able to go on then, whatever was before.
      bool by_time = t.pending->timed_out;
      able_since[k] =
          able && (!able_before[k] || by_time != timed_before[k]) ? now_ : able_since[k];
      able_before[k] = able;
      timed_before[k] = by_time;
      if (!able || !t.spin.spinning) {
        earliest = std::min(earliest, able ? able_since[k] : t.pending->deadline);
      }
    }
    for (auto& t : threads_) {
      if (t->state != ThreadState::kPending || can_go_on(*t, false)) continue;
      std::uint64_t deadline = t->pending->deadline;
      std::uint64_t passed = (step - t->ran_in) * kStepTime;
      bool may = deadline != kNever && deadline <= earliest + kLong + passed;
      ASSERT_EQ(pending_.enabled().contains(t->index), may) << "step " << step;
      early += may ? 1 : 0;
      kept += deadline != kNever && !may ? 1 : 0;
    }
  }
  EXPECT_GT(early, 1000);
  EXPECT_GT(kept, 1000);
}

TEST(ThreadSet, FindsTheNthAndHowManyComeBefore) {
  Random random(1);
  ThreadSet set;
  std::set<std::uint32_t> reference;
  for (int i = 0; i < 60; ++i) {
    Thread t;
    t.index = static_cast<std::uint32_t>(random.below(300));
    set.insert(t);
    reference.insert(t.index);
    EXPECT_EQ(set.size(), reference.size());
    EXPECT_EQ(set.first(), *reference.begin());
    for (std::uint32_t index = 0; index < 320; ++index) {
      auto lower =
          static_cast<std::size_t>(std::distance(reference.begin(), reference.lower_bound(index)));
      EXPECT_EQ(set.below(index), lower);
      EXPECT_EQ(set.contains(index), reference.contains(index));
      if (set.contains(index)) {
        EXPECT_EQ(set.at(lower), index);
      }
    }
  }
}

}  // namespace
}  // namespace rff
