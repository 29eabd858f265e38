// The threads that have stopped with a pending operation, and which of them are enabled.
//
// Updated incrementally, so that a decision costs what has changed since the last one, not the
// number of threads. Threads about to do the same thing form a crowd, and threads that wait for the
// same thing form a group: what happens to one of them happens to all. Schedulers keep state per
// crowd, so all of this runs on the runtime stack (see support/runtime_stack.h).
#pragma once

#include <cstdint>
#include <vector>

#include "libsched/engine/thread_set.h"
#include "schedule/schedule_file.h"

namespace rff {

// Threads that wait for the same thing, and become enabled together.
struct WaitGroup {
  const WaitRule* rule = nullptr;
  const void* state = nullptr;   // null: the group has a single thread
  bool external = false;         // not only the program can end the wait
  bool holds = false;            // result of the last check
  std::uint64_t since = 0;       // the decision at which it was found to hold
  std::uint64_t since_time = 0;  // the virtual time of that
  ThreadSet members;
  std::vector<Crowd*> crowds;
  WaitGroup* next = nullptr;  // in the same bucket
};

// Threads about to execute the same event on the same memory: only chance distinguishes them.
struct Crowd {
  std::uint64_t id = 0;  // of the event
  std::uint64_t touches = 0, touches_end = 0;
  bool writes = false;
  bool spins = false;  // its threads only run when no others can
  WaitGroup* group = nullptr;
  std::uint32_t size = 0;
  std::uint32_t number = 0;  // the lowest number that is free
  Crowd* next = nullptr;     // in the same bucket

  bool may_run() const { return !spins && (group == nullptr || group->holds); }
  bool races_with(const Thread& t) const {
    return touches < t.touches_end && t.touches < touches_end && (writes || t.touches_as_writer);
  }
};

// For schedulers that keep state per crowd.
class CrowdListener {
 public:
  virtual ~CrowdListener() = default;
  // A thread has joined its crowd with its pending operation (`pending`), or leaves it
  // (`withdrawn`).
  virtual void pending(Thread&) {}
  virtual void withdrawn(Thread&) {}
  // The crowd may now run, or may no longer.
  virtual void reconsider(const Crowd&) {}
};

class PendingThreads {
 public:
  PendingThreads() = default;
  ~PendingThreads();
  PendingThreads(const PendingThreads&) = delete;
  PendingThreads& operator=(const PendingThreads&) = delete;

  // Reports all changes to `listener` unless it is null. `preemption`: see Preemption; a timed wait
  // whose deadline may come although others can run is enabled, by its timeout.
  void start(CrowdListener* listener, Preemption preemption) {
    listener_ = listener;
    preemption_ = preemption;
    // New vectors, since clearing the fork server's would make each run copy their pages.
    by_word_ = std::vector<Crowd*>(kBuckets);
    by_state_ = std::vector<WaitGroup*>(kBuckets);
  }

  void insert(Thread& t);
  void erase(Thread& t);
  // Call when something has changed that decides whether a pending thread is enabled.
  void reconsider(Thread& t);
  // Call when `state` has changed. Affects all threads that wait with it, if any.
  void changed(const void* state);

  // Checks the conditions of waiting threads. `decision`: the number of the one about to be made.
  void update(std::uint64_t now, std::uint64_t decision);

  Thread& operator[](std::uint32_t index) const { return *by_index_[index]; }
  const ThreadSet& all() const { return all_; }
  // The enabled threads as of the last update, and those of them that do not spin.
  const ThreadSet& enabled() const { return enabled_; }
  const ThreadSet& eager() const { return some_spin_ ? eager_ : enabled_; }
  bool any_enabled() const { return any_enabled_; }
  bool any_eager() const { return any_eager_; }

  // Returns whether the pending operation can take effect now; `needs_timeout`: whether the thread
  // is enabled only because its timeout may come at any time.
  static bool can_take_effect(const Thread& t);
  static bool needs_timeout(const Thread& t);
  // Requires: the thread needs its timeout. Returns a thread that can run, or will be able to
  // before that timeout; null if there is none.
  const Thread* preempted_by(const Thread& t) const;
  // How much of a wait the steps of the others have taken; see Preemption.
  std::uint64_t time_of_steps(const Thread& t) const;
  // The decision since which an enabled thread could have run at every decision.
  static std::uint64_t ready_since(const Thread& t);

  // Virtual time: returns the earliest deadline of the waits that have not ended; `expire` ends
  // those with a deadline up to `now` and returns whether there were any.
  std::uint64_t nearest_deadline() const;
  bool expire(std::uint64_t now);

  // Calls visit(crowd) for each crowd whose order with the operation of `t` matters. Requires: `t`
  // is no longer pending.
  template <typename Visit>
  void for_each_racing(const Thread& t, Visit visit) const {
    auto look_through = [&](const Crowd* c) {
      for (; c != nullptr; c = c->next) {
        if (c->races_with(t)) {
          visit(*c);
        }
      }
    };
    if (t.touches_end == 0) {
      return;
    }
    look_through(wide_);
    if (is_wide(t)) {
      for (const Crowd* c : by_word_) {
        look_through(c);
      }
    } else {
      look_through(by_word_[bucket(t)]);
    }
  }

 private:
  static constexpr std::size_t kBuckets = 64;

  static bool is_wide(const Thread& t) {
    return t.touches_end > 0 && t.touches >> 3 != (t.touches_end - 1) >> 3;
  }
  static std::size_t bucket(std::uint64_t key) { return (key * 0x9e3779b97f4a7c15ULL) >> 58; }
  static std::size_t bucket(const Thread& t) { return bucket(t.touches >> 3); }
  static std::size_t bucket(const void* state) {
    return bucket(reinterpret_cast<std::uint64_t>(state));
  }

  // Returns the list that holds the crowd of `t`, or would.
  Crowd*& place_of(const Thread& t) { return is_wide(t) ? wide_ : by_word_[bucket(t)]; }
  void join_crowd(Thread& t);
  void leave_crowd(Thread& t);
  void join_group(Thread& t);
  void leave_group(Thread& t);
  void ask(WaitGroup& g);
  // Enables the timed waits that may end now, and no others.
  void consider_timeouts();
  // The latest deadline that may come although other threads can run.
  std::uint64_t latest_deadline() const;

  CrowdListener* listener_ = nullptr;
  Preemption preemption_ = kNoPreemption;
  std::uint64_t decision_ = 0;
  std::uint64_t now_ = 0;
  std::vector<Thread*> by_index_;
  ThreadSet all_;
  ThreadSet enabled_;
  ThreadSet spinning_;
  bool some_spin_ = false, any_enabled_ = false, any_eager_ = false;
  ThreadSet eager_;                 // valid if some spin
  ThreadSet timed_;                 // threads in a wait with a deadline that has not ended
  std::uint64_t nearest_ = kNever;  // a lower bound of their deadlines

  std::vector<Crowd*> by_word_;
  Crowd* wide_ = nullptr;  // those that touch more than one word
  std::vector<Crowd*> unused_crowds_;
  std::vector<Crowd*> all_crowds_;
  std::vector<WaitGroup*> by_state_;
  std::vector<WaitGroup*> asked_;    // checked at every update
  std::vector<WaitGroup*> changed_;  // since the last update
  std::vector<WaitGroup*> unused_groups_;
  std::vector<WaitGroup*> all_groups_;
};

}  // namespace rff
