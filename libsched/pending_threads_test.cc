// What is kept from decision to decision equals what asking every thread anew would give.
#include "libsched/pending_threads.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>

#include "schedule/hash.h"

namespace rff {
namespace {

bool is_free(const Operation& op) { return *static_cast<const bool*>(op.state); }
constexpr WaitRule kFree = {is_free, nullptr, "a lock"};
constexpr WaitRule kAlsoFree = {is_free, nullptr, "a lock, in another way"};

class PendingThreadsTest : public testing::Test {
 protected:
  static constexpr std::size_t kThreads = 150;  // more than a word of a ThreadSet
  static constexpr std::size_t kLocks = 4;

  PendingThreadsTest() {
    for (std::uint32_t i = 0; i < kThreads; ++i) {
      threads_.push_back(std::make_unique<Thread>());
      threads_.back()->index = i;
    }
  }

  void stop(std::size_t i, const Operation& op) {
    operations_[i] = op;
    threads_[i]->stop_with(operations_[i]);
    pending_.insert(*threads_[i]);
  }

  // An access or a wait, of any kind.
  Operation any_operation() {
    Operation op;
    op.op = random_.chance(1, 2) ? OpKind::kWrite : OpKind::kRead;
    op.address = random_.chance(1, 8) ? 0 : 0x1000 + random_.below(64);
    op.size = random_.chance(1, 8) ? 100 : 1u << random_.below(4);
    if (random_.chance(1, 2)) {
      op.op = OpKind::kLock;
      op.waits_for = random_.chance(1, 2) ? &kFree : &kAlsoFree;
      op.state = &free_[random_.below(kLocks)];
      op.deadline = random_.chance(1, 4) ? now_ + random_.below(20) : kNever;
      op.cancellable = random_.chance(1, 4);
    }
    return op;
  }

  bool can_go_on(const Thread& t, bool any_timeout) const {
    const Operation& op = *t.pending;
    return op.waits_for == nullptr || is_free(op) || op.deadline <= now_ || op.timed_out ||
           (op.cancellable && t.cancel_requested) || (any_timeout && op.deadline != kNever);
  }

  void expect_as_if_asked_anew(bool any_timeout) {
    std::vector<Thread*> all;
    std::vector<Thread*> enabled;
    for (auto& t : threads_) {
      if (t->state == ThreadState::kPending) {
        all.push_back(t.get());
        if (can_go_on(*t, any_timeout)) enabled.push_back(t.get());
      }
    }
    EXPECT_EQ(pending_.all(), all);
    EXPECT_EQ(pending_.enabled(), enabled);
    std::uint64_t nearest = kNever;
    for (const Thread* t : all) {
      nearest = t->enabled ? nearest : std::min(nearest, t->pending->deadline);
    }
    EXPECT_EQ(pending_.nearest_deadline(), nearest);
  }

  PendingThreads pending_;
  std::vector<std::unique_ptr<Thread>> threads_;
  Operation operations_[kThreads];
  bool free_[kLocks] = {true, false, true, false};
  std::uint64_t now_ = 0;
  Random random_{1};
};

TEST_F(PendingThreadsTest, EnabledOnesAreThoseThatCouldGoOn) {
  for (bool any_timeout : {false, true}) {
    for (int step = 0; step < 10'000; ++step) {
      std::size_t i = random_.below(kThreads);
      Thread& t = *threads_[i];
      if (t.state == ThreadState::kPending) {
        pending_.erase(t);
        t.state = ThreadState::kRunning;
        t.cancel_requested = false;
      } else {
        stop(i, any_operation());
      }
      free_[random_.below(kLocks)] = random_.chance(1, 2);
      threads_[random_.below(kThreads)]->cancel_requested |= random_.chance(1, 20);
      now_ += random_.below(2);
      pending_.update(now_, any_timeout, static_cast<std::uint64_t>(step));
      expect_as_if_asked_anew(any_timeout);
      if (HasFailure()) FAIL() << "step " << step;
    }
    for (auto& t : threads_) {
      if (t->state == ThreadState::kPending) pending_.erase(*t);
      t->state = ThreadState::kRunning;
    }
  }
}

TEST_F(PendingThreadsTest, NearOnesAreAllThatRaceInTheirOrder) {
  for (int step = 0; step < 10'000; ++step) {
    std::size_t i = random_.below(kThreads);
    Thread& t = *threads_[i];
    if (t.state != ThreadState::kPending) {
      stop(i, any_operation());
      continue;
    }
    pending_.erase(t);
    const std::vector<Thread*>& near = pending_.near(t);
    EXPECT_TRUE(std::is_sorted(near.begin(), near.end(), [](const Thread* a, const Thread* b) {
      return a->index < b->index;
    }));
    for (const Thread* other : pending_.all()) {
      if (other->races_with(t)) {
        ASSERT_NE(std::find(near.begin(), near.end(), other), near.end()) << "step " << step;
      }
    }
    t.state = ThreadState::kRunning;
  }
}

TEST_F(PendingThreadsTest, NobodyHasBeenReadyWhileWaiting) {
  Operation op;
  op.op = OpKind::kLock;
  op.waits_for = &kFree;
  op.state = &free_[1];
  stop(3, op);
  for (std::uint64_t decision = 1; decision <= 50; ++decision) {
    free_[1] = decision == 50;
    pending_.update(0, false, decision);
  }
  EXPECT_EQ(pending_.enabled().size(), 1u);
  EXPECT_EQ(threads_[3]->ready_since, 50u);
}

}  // namespace
}  // namespace rff
