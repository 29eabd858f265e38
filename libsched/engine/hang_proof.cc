#include "libsched/engine/hang_proof.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace rff {
namespace {

// Bounds on the decisions before looping starts. The upper bound grows by one per thread.
constexpr std::uint64_t kLeastWait = 256;
constexpr std::uint64_t kPatience = 2'000;
// If looping could not start: decisions before the next attempt, and the number of attempts.
constexpr std::uint64_t kBetweenMoments = 7;
constexpr std::uint64_t kMostMoments = 64;
// Bounds on the length of a loop.
constexpr std::uint64_t kLongestLoop = 20'000;  // stops
constexpr std::uint64_t kMostEvents = 100'000;
constexpr int kMostRounds = 4;

}  // namespace

void HangProof::begin() {
  if (witness_ == nullptr) {
    progress_.proof_failed(1);
    return;
  }
  stage_ = Stage::kWaiting;
  began_ = progress_.decisions();
  changes_ = progress_.changes();
  active_ = {};
  moments_ = 0;
  witness_->begin();
}

// Called when a member cannot run, for example because another thread holds a lock. Tries again at
// a later moment.
void HangProof::wait_for_another_moment() {
  if (++moments_ == kMostMoments) {
    fail();
    return;
  }
  stage_ = Stage::kWaiting;
  place_ = {};
  witness_->watch(false);
}

void HangProof::fail() {
  stage_ = Stage::kNone;
  place_ = {};
  members_.clear();
  witness_->watch(false);
  progress_.proof_failed(progress_.decisions() - began_);
}

Thread* HangProof::next(const PendingThreads& threads, const Thread* stops, std::uint64_t events) {
  if (stage_ == Stage::kWaiting) {
    bool begins = progress_.changes() == changes_ && ready(threads);
    if (!begins && progress_.changes() == changes_) {
      return nullptr;
    }
    if (!begins || !start_looping(threads)) {
      fail();
      return nullptr;
    }
    first_event_ = events;
    return run_member(threads);
  }
  if (stops != members_[turn_].thread || !still_possible(threads) ||
      !take_stop(members_[turn_], events)) {
    fail();
    return nullptr;
  }
  return proved_ ? nullptr : run_member(threads);
}

// Returns false if no proof is possible.
bool HangProof::take_stop(Member& m, std::uint64_t events) {
  ++stops_;
  bool goes_on = stops_ < kLongestLoop && events - first_event_ < kMostEvents;
  if (!witness_->at_same_place(*m.thread)) {
    return goes_on;
  }
  ++visits_;
  if (witness_->same(*m.thread)) {
    first_event_ = events;
    longest_ = std::max(longest_, visits_);
    return closed();
  }
  // The state may take some rounds to repeat. Compare with later states, ever less often, and only
  // after as many visits as the longest known loop takes.
  if (visits_ > longest_ && std::has_single_bit(visits_)) {
    same_in_round_ = false;
    return goes_on && witness_->remember();
  }
  return goes_on;
}

// Ready if each thread that could run since the proof began can run now and has stopped. One that
// cannot is blocked by another thread or blocks it; a moment later it may run again.
bool HangProof::ready(const PendingThreads& threads) {
  active_ |= threads.enabled();
  std::uint64_t waited = progress_.decisions() - began_;
  bool late = waited > kPatience + threads.all().size();
  std::uint64_t least = kLeastWait + moments_ * kBetweenMoments;
  bool ready = true;
  threads.all().for_each([&](std::uint32_t index) {
    Thread& t = threads[index];
    bool active = active_.contains(index) || t.pending->deadline != kNever;
    ready &= !active || (witness_->knows(t) && can_go_on(threads, t));
  });
  return late || (ready && waited > least);
}

bool HangProof::may_run(const PendingThreads& threads, const Thread& t) {
  if (threads.enabled().contains(t.index)) {
    return true;
  }
  bool first = t.pending->deadline != kNever && !threads.any_eager();
  threads.all().for_each([&](std::uint32_t index) {
    first &= threads.enabled().contains(index) ||
             threads[index].pending->deadline >= t.pending->deadline;
  });
  return first;
}

bool HangProof::start_looping(const PendingThreads& threads) {
  members_.clear();
  bool possible = true;
  threads.all().for_each([&](std::uint32_t index) {
    Thread& t = threads[index];
    possible &= !t.pending->external;
    if (can_go_on(threads, t)) {
      possible &= witness_->knows(t);
      members_.push_back({&t, t.pending->code, t.pending->address, {}, {}});
    }
  });
  if (!possible || members_.empty() || !witness_->remember()) {
    return false;
  }
  // The thread whose deadline comes first has the first turn.
  auto due = [&](const Member& m) {
    bool now = threads.enabled().contains(m.thread->index);
    return std::pair(now ? 0 : m.thread->pending->deadline, m.thread->index);
  };
  std::sort(members_.begin(), members_.end(),
            [&](const Member& a, const Member& b) { return due(a) < due(b); });
  looks_outside_ = progress_.looks_outside();
  stage_ = Stage::kLooping;
  turn_ = 0;
  rounds_ = 0;
  longest_ = 0;
  same_in_round_ = true;
  begin_turn();
  return true;
}

void HangProof::begin_turn() {
  stops_ = visits_ = 0;
  place_ = {members_[turn_].code, members_[turn_].address};
}

bool HangProof::still_possible(const PendingThreads& threads) const {
  bool others_wait = true;
  threads.enabled().for_each([&](std::uint32_t index) {
    others_wait &= std::any_of(members_.begin(), members_.end(),
                               [&](const Member& m) { return m.thread->index == index; });
  });
  return others_wait && progress_.changes() == changes_ &&
         progress_.looks_outside() == looks_outside_;
}

bool HangProof::closed() {
  if (++turn_ == members_.size()) {
    turn_ = 0;
    if (same_in_round_) {
      proved_ = independent() && !witness_->saw_outside();
      return proved_;
    }
    same_in_round_ = true;
    if (++rounds_ == kMostRounds) {
      return false;
    }
  }
  begin_turn();
  return true;
}

// Returns true if no thread asks about an object that another thread uses meanwhile.
bool HangProof::independent() const {
  for (const Member& m : members_) {
    for (const Member& other : members_) {
      if (&m != &other &&
          std::any_of(m.depends.begin(), m.depends.end(),
                      [&](std::uint64_t object) { return other.used.contains(object); })) {
        return false;
      }
    }
  }
  return true;
}

Thread* HangProof::run_member(const PendingThreads& threads) {
  if (!steers()) {
    return nullptr;
  }
  Member& m = members_[turn_];
  if (!may_run(threads, *m.thread)) {
    wait_for_another_moment();
    return nullptr;
  }
  const Operation& op = *m.thread->pending;
  if (!op_accesses(op.op) && op.address != 0) {
    bool waits_for_time = op.waits_for != nullptr && op.deadline != kNever;
    if (op.tries != nullptr || waits_for_time) {
      m.depends.insert(op.address);
    }
    m.used.insert(op.address);
  }
  return m.thread;
}

void HangProof::stopped(Thread& t, const StopContext& where) {
  witness_->watch(false);
  witness_->stopped(t, where);
}

void HangProof::goes_on() { witness_->watch(stage_ == Stage::kLooping); }

}  // namespace rff
