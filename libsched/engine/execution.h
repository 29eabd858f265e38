// Who is enabled, who runs: the serial execution of the target's threads.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "libsched/carrier/carrier.h"
#include "libsched/engine/pending_threads.h"
#include "libsched/engine/schedulers/scheduler.h"
#include "libsched/engine/thread.h"
#include "schedule/flat_map.h"

namespace rff {

class Runtime;

class Execution {
 public:
  explicit Execution(Runtime& runtime);

  Thread& current() { return *current_; }
  const std::vector<Thread*>& threads() const {
    return threads_;
  }  // all of the run, ended ones too
  std::uint32_t live() const { return live_; }
  // How often all of them had to wait for the outside.
  std::uint64_t moments() const { return moments_; }

  // Requires: nobody is pending.
  void set_scheduler(std::unique_ptr<Scheduler> scheduler, const Schedule& schedule);
  Scheduler& scheduler() { return *scheduler_; }
  // Decisions to follow before the scheduler decides.
  void set_prefix(const std::vector<Decision>* prefix) { prefix_ = prefix; }

  // The current thread stops with `op` until the scheduler has chosen it and it is enabled. When
  // this returns the operation takes effect: nothing else runs until the current thread's next
  // operation.
  void perform(Operation& op);

  // A signal came for a thread: if it is stopped, taking the signal is what it is about to do now,
  // and what it was about to do comes afterwards.
  void interrupt(Thread& t);

  // Something has changed that a stopped thread waits for (see WaitRule::told), or the thread
  // itself.
  void changed(const void* state);
  void reconsider(Thread& t);

  // A new thread, ready to start. 0 or an errno value.
  int create(Thread** created, const pthread_attr_t* attributes, void* (*entry)(void*),
             void* argument, CodeName site);
  // The current thread has finished all of its code.
  void end_current();
  Thread* find(pthread_t handle);
  // A joined or detached thread that has ended gives its resources back.
  void release(Thread& t);
  int detach(Thread& t);  // 0 or an errno value
  void set_carrier(Carrier& carrier) { carrier_ = &carrier; }
  const Carrier& carrier() const { return *carrier_; }

  // The current thread has gone through a long stretch in which nothing happened: it counts for
  // more than one decision.
  void idle(std::uint64_t decisions) { decisions_ += decisions; }
  // Something changed: the program is not hanging.
  void progress() {
    quiet_from_ = decisions_;
    waits_ = 0;
    clock_reads_ = 0;
    passed_lock_ = false;
  }
  // Virtual nanoseconds that a look at a clock takes. Threads that have done nothing else for long
  // wait for time to pass, and it may be a day that they wait for: then it passes ever faster.
  std::uint64_t clock_step();
  // A lock was taken or released, which changes nothing by itself.
  void passed_lock() { passed_lock_ = true; }

  std::uint64_t steps = 0;   // events executed
  std::uint64_t points = 0;  // events at which the thread stopped
  std::uint64_t switches = 0;

 private:
  // Stops with `op` until chosen. False if a signal was taken in its place.
  bool stop(Operation& op);
  bool take_signals(Interruption allowed);
  void switch_to(Thread& next);
  // The thread was chosen and goes on, with this operation.
  Operation& goes_on(Thread& t);
  // Who goes on, now that `stops` (null: no thread) has stopped.
  Thread* choose(Thread* stops);
  void wait_for_somebody();
  // Nothing has happened for so long that the threads may be in each other's way.
  bool stuck() const;
  std::uint64_t hang_limit() const;
  // Lets each thread run for a while, at random: threads in step with each other (two that take two
  // locks in opposite order, let go and try again) get past each other, real livelocks do not.
  Thread* unstick();
  Thread* least_patient();
  // Somebody whom the scheduler has passed over for too long, or null.
  Thread* starving();
  // If there are two or more: the recorded decision, or the scheduler's.
  Thread* decide();
  const ThreadSet& enabled() const { return pending_.enabled(); }
  const ThreadSet& eager() const { return pending_.eager(); }
  const ThreadSet& able() const { return stuck() || !pending_.any_eager() ? enabled() : eager(); }
  bool advance_time();
  bool wait_outside();
  Thread* follow_prefix();
  bool may_hang() const;
  void check_hang();
  static void thread_body(Thread& t);

  Runtime& runtime_;
  Carrier* carrier_;
  std::unique_ptr<Scheduler> scheduler_;
  const std::vector<Decision>* prefix_ = nullptr;
  std::size_t prefix_at_ = 0;
  std::uint64_t last_decision_ = kNever;  // of a replay that diverged
  std::vector<Thread*> threads_;
  // All but the first: the newest with that handle, since the C library gives handles out again.
  FlatMap<Thread*> by_handle_;
  FlatSet stacks_used_;               // where they begin
  std::vector<Thread*> left_behind_;  // detached threads that have ended, not yet released
  PendingThreads pending_;
  Thread* current_ = nullptr;
  std::uint32_t live_ = 0;
  std::uint64_t moments_ = 0;
  std::uint64_t decisions_ = 0;
  std::uint64_t quiet_from_ = 0;   // the decision since which nothing has happened
  std::uint64_t clock_reads_ = 0;  // since there was progress
  std::uint64_t waits_ = 0;        // that time has ended since something happened
  bool passed_lock_ = false;       // since something happened
  std::uint64_t stretch_ = 0;      // how long the current thread goes on while stuck
  Random random_;                  // where the scheduler does not decide
};

}  // namespace rff
