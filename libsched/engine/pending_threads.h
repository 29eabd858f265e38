// The threads that have stopped with a pending operation, and which of them could go on.
//
// Kept from decision to decision, so that a decision costs what has changed since the last one and
// not the number of threads. Those about to do the same thing are one crowd, and those that wait
// for the same thing one group: what happens to one of them happens to all. Schedulers keep their
// account of crowds, so all of this happens on the runtime stack (see support/runtime_stack.h).
#pragma once

#include <cstdint>
#include <vector>

#include "libsched/engine/thread_set.h"

namespace rff {

// Threads that wait for the same thing, and can go on together.
struct WaitGroup {
  const WaitRule* rule = nullptr;
  const void* state = nullptr;  // null: of one thread alone
  bool external = false;        // it is not only up to the program
  bool holds = false;           // when last asked
  std::uint64_t since = 0;      // the decision at which it was found to hold
  ThreadSet members;
  std::vector<Crowd*> crowds;
  WaitGroup* next = nullptr;  // in the same bucket
};

// Threads about to execute the same event on the same memory: nothing but chance tells them apart.
struct Crowd {
  std::uint64_t id = 0;  // of the event
  std::uint64_t touches = 0, touches_end = 0;
  bool writes = false;
  bool spins = false;  // they make way for others
  WaitGroup* group = nullptr;
  std::uint32_t size = 0;
  std::uint32_t number = 0;  // as small as possible
  Crowd* next = nullptr;     // in the same bucket

  bool may_run() const { return !spins && (group == nullptr || group->holds); }
  bool races_with(const Thread& t) const {
    return touches < t.touches_end && t.touches < touches_end && (writes || t.touches_as_writer);
  }
};

// For schedulers that keep an account of crowds.
class CrowdListener {
 public:
  virtual ~CrowdListener() = default;
  // A thread joins a crowd with its pending operation, and leaves it.
  virtual void pending(Thread&) {}
  virtual void withdrawn(Thread&) {}
  // Whether the crowd may run has changed.
  virtual void reconsider(const Crowd&) {}
};

class PendingThreads {
 public:
  PendingThreads() = default;
  ~PendingThreads();
  PendingThreads(const PendingThreads&) = delete;
  PendingThreads& operator=(const PendingThreads&) = delete;

  // The listener, if there is one, is told of all changes. `any_timeout`: a timed wait can always
  // go on, by its timeout.
  void start(CrowdListener* listener, bool any_timeout) {
    listener_ = listener;
    any_timeout_ = any_timeout;
    // Not cleared: those of the fork server lie in memory that a run would have to copy.
    by_word_ = std::vector<Crowd*>(kBuckets);
    by_state_ = std::vector<WaitGroup*>(kBuckets);
  }

  void insert(Thread& t);
  void erase(Thread& t);
  // Something about a pending thread has changed that decides whether it can go on.
  void reconsider(Thread& t);
  // The same for all that wait with this state, if there are any.
  void changed(const void* state);

  // Asks what the waiting threads wait for. `decision`: the number of the one that is due.
  void update(std::uint64_t now, std::uint64_t decision);

  Thread& operator[](std::uint32_t index) const { return *by_index_[index]; }
  const ThreadSet& all() const { return all_; }
  // Those that can go on, as of the last update; and of them, those that do not spin.
  const ThreadSet& enabled() const { return enabled_; }
  const ThreadSet& eager() const { return some_spin_ ? eager_ : enabled_; }
  bool any_enabled() const { return any_enabled_; }
  bool any_eager() const { return any_eager_; }

  // Whether the pending operation can take effect now; and whether only its timeout, which may
  // come at any time, lets it go on.
  static bool can_take_effect(const Thread& t);
  bool needs_timeout(const Thread& t) const;
  // The decision since which an enabled thread could have run every time.
  static std::uint64_t ready_since(const Thread& t);

  // Time: when the first wait ends that nothing else has ended; ends those that are over by `now`,
  // and says whether there were any.
  std::uint64_t nearest_deadline() const;
  bool expire(std::uint64_t now);

  // Calls visit(crowd) for those whose order with the operation of `t` (not pending any more
  // itself) matters.
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

  // Where the crowd of `t` is or would be listed.
  Crowd*& place_of(const Thread& t) { return is_wide(t) ? wide_ : by_word_[bucket(t)]; }
  void join_crowd(Thread& t);
  void leave_crowd(Thread& t);
  void join_group(Thread& t);
  void leave_group(Thread& t);
  void ask(WaitGroup& g);

  CrowdListener* listener_ = nullptr;
  bool any_timeout_ = false;
  std::uint64_t decision_ = 0;
  std::vector<Thread*> by_index_;
  ThreadSet all_;
  ThreadSet enabled_;
  ThreadSet spinning_;
  bool some_spin_ = false, any_enabled_ = false, any_eager_ = false;
  ThreadSet eager_;                 // if some spin
  ThreadSet timed_;                 // whose wait only time or what they wait for ends
  std::uint64_t nearest_ = kNever;  // of their deadlines, or earlier

  std::vector<Crowd*> by_word_;
  Crowd* wide_ = nullptr;  // that touch more than one word
  std::vector<Crowd*> unused_crowds_;
  std::vector<Crowd*> all_crowds_;
  std::vector<WaitGroup*> by_state_;
  std::vector<WaitGroup*> asked_;    // at every update
  std::vector<WaitGroup*> changed_;  // since the last one
  std::vector<WaitGroup*> unused_groups_;
  std::vector<WaitGroup*> all_groups_;
};

}  // namespace rff
