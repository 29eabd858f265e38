// The order that synchronization enforces, and the locks that threads hold: decides whether two
// accesses may race.
//
// What a thread does before it creates a thread, arrives at a barrier, posts, wakes, ends, or
// finishes a routine that runs once comes before what the other side does afterwards, in every run
// in which these meet. Locks enforce no order, only that critical sections exclude each other: two
// of them may come the other way round in the next run. Locked instructions enforce none either.
//
// A lock hands over what a thread did before it unlocked to whoever locks next: the two are ordered
// in this run, and perhaps in no other one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "libsched/engine/thread.h"
#include "libsched/memory/lock_sets.h"
#include "schedule/joined.h"

namespace rff {

class SyncOrder {
 public:
  SyncOrder();
  SyncOrder(const SyncOrder&) = delete;
  SyncOrder& operator=(const SyncOrder&) = delete;

  // All accesses of one thread between two of its releases, of locks too, that it made under the
  // same locks.
  struct Era {
    std::uint32_t actor = 0;
    std::uint32_t time = 0;    // counts releases that enforce an order
    std::uint32_t handed = 0;  // counts all releases
    std::uint32_t locks = LockSets::kEmpty;
  };
  static_assert(sizeof(Era) == sizeof(hook::JoinedEra) &&
                offsetof(Era, actor) == offsetof(hook::JoinedEra, actor) &&
                offsetof(Era, locks) == offsetof(hook::JoinedEra, locks));
  // 0 is no era; 1 is the first of the main thread.
  const Era& era(std::uint32_t number) const { return eras_[number]; }

  // For checks in patched code; see JoinedSlots. Begins with the pointer to the first.
  const void* eras_at() const { return &eras_; }
  // Whether the era came before what the actor does now; and before what any other thread can still
  // do.
  bool before(const Era& e, std::uint32_t actor) const {
    Time t = actors_[actor]->clock.of(e.actor);
    return t.order >= e.time || (handing_over_orders && t.handed >= e.handed);
  }
  // The same, or by what locks handed over.
  bool handed_over(const Era& e, std::uint32_t actor) const {
    return actors_[actor]->clock.of(e.actor).handed >= e.handed;
  }
  bool handing_over_orders = false;  // once set, it stays so for the run
  bool settled(const Era& e);
  bool locks_within(const Era& a, const Era& b) const { return sets_.within(a.locks, b.locks); }
  bool locks_exclude(const Era& a, const Era& b) const { return sets_.exclude(a.locks, b.locks); }
  LockSets& locks() { return sets_; }
  // The era with the same actor and time, and no locks.
  std::uint32_t without_locks(std::uint32_t number);
  // Index of the thread to which the actor belongs.
  std::uint32_t thread_of(std::uint32_t actor) const { return actors_[actor]->thread; }

  void created(Thread& parent, Thread& child);
  void ended(Thread& t);
  // `t` does nothing more before `other` has ended; null: it does not wait any more.
  void joins(Thread& t, const Thread* other);
  void joined(Thread& t, const Thread& other);
  // Nobody can join it any more.
  void released(const Thread& t) { actors_[actor_of_[t.index]]->clock = {}; }
  void locked(Thread& t, const void* lock, bool exclusively);
  void unlocked(Thread& t, const void* lock);

  // What `t` did so far comes before what those do who acquire the token afterwards.
  void release(Thread& t, const void* token);
  void acquire(Thread& t, const void* token);
  // The same for a thread that waits: what it does after waiting, not what a handler does
  // meanwhile.
  void acquire_waiting(Thread& t, const void* token);
  void forget(const void* token);

  // A semaphore hands out what was posted first in, first out; `count` is its value before.
  void posted(Thread& t, const void* semaphore);
  void waited(Thread& t, const void* semaphore, std::uint32_t count);

  // A signal handler may run at any time: it counts as a thread of its own that holds no lock and
  // comes after nothing. `enter_handler` returns what `leave_handler` needs. A thread that leaves a
  // handler by a jump stays one that comes after nothing, which only costs points.
  bool handlers_apart = false;  // otherwise they belong to their thread
  bool handlers_run() const { return handlers_run_; }
  std::uint32_t enter_handler(Thread& t);
  void leave_handler(Thread& t, std::uint32_t before);

  // A turn of an event loop begins: what the thread does from now on counts as done by another, who
  // comes after all that it has done. So values that one turn leaves to another are seen as shared.
  void begin_turn(Thread& t);

 private:
  // The times of an era.
  struct Time {
    std::uint32_t order = 0;
    std::uint32_t handed = 0;
  };
  // A vector clock: for every actor, the times up to which its accesses came before.
  class Clock {
   public:
    Time of(std::uint32_t actor) const { return actor < at_.size() ? at_[actor] : Time{}; }
    void set(std::uint32_t actor, Time time);
    void join(const Clock& other);
    void join_handed(const Clock& other);

   private:
    std::vector<Time> at_;
  };
  // A thread, or the signal handlers of a thread.
  struct Actor {
    std::uint32_t id = 0;
    std::uint32_t thread = 0;
    Clock clock;
    std::uint32_t locks = LockSets::kEmpty;
    std::uint32_t handler = 0;        // the actor of its handlers; 0: none so far
    std::uint32_t next_turn = 0;      // the actor of its next turn; 0: none so far
    std::uint32_t turn = 0;           // how many turns came before it
    const Actor* awaited = nullptr;   // the thread for whose end it waits
    std::uint32_t settled = 0;        // the time up to which its accesses are settled
    std::uint64_t settled_since = 0;  // the change after which that was found out
  };
  struct Semaphore {
    std::vector<Clock> posts;
    std::size_t taken = 0;  // of them
  };

  std::uint32_t add_actor(std::uint32_t thread, Clock clock);
  Actor& actor(const Thread& t);
  // The time up to which another actor's accesses come before all that an actor can still do.
  static std::uint32_t least(const Actor& a, std::uint32_t other);
  // Begins a new time of the thread: later accesses do not come before what it released.
  void tick(Thread& t, std::uint32_t order = 1);
  // Updates the thread's eras after its time or its locks have changed.
  void update(Thread& t);
  std::uint32_t era_of(std::uint32_t actor, std::uint32_t locks);
  std::uint32_t first_turn(std::uint32_t actor) const;

  std::vector<std::unique_ptr<Actor>> actors_;
  std::vector<std::uint32_t> actor_of_;  // by index of the thread
  std::vector<std::uint32_t> live_;      // the actors of threads that have not ended
  std::vector<Era> eras_;
  FlatMap<std::uint32_t> latest_;  // the latest era of an actor with these locks
  LockSets sets_;
  FlatMap<std::uint32_t> tokens_;  // indexes into released_
  std::vector<Clock> released_;
  FlatMap<std::uint32_t> semaphore_of_;  // indexes into semaphores_
  std::vector<Semaphore> semaphores_;
  std::uint64_t changes_ = 1;  // of clocks and of the set of live threads
  bool handlers_run_ = false;
};

}  // namespace rff
