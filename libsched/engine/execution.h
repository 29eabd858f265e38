// Who is enabled, who runs: the serial execution of the target's threads.
//
// Knows no C library and makes no system call: what a thread runs on, what operations do to memory
// and what the world outside does are behind the interfaces of carrier.h and listeners.h.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "libsched/engine/carrier.h"
#include "libsched/engine/hang_proof.h"
#include "libsched/engine/listeners.h"
#include "libsched/engine/pending_threads.h"
#include "libsched/engine/progress.h"
#include "libsched/engine/schedulers/scheduler.h"
#include "schedule/shared_memory.h"

namespace rff {

class Execution {
 public:
  // `main` runs.
  Execution(Thread& main, OperationListener& memory, RunListener& report, World& world);
  void set_carrier(Carrier& carrier) { carrier_ = &carrier; }
  // Without one, no hang is ever found.
  void set_witness(StateWitness& witness) { proof_.set_witness(&witness); }

  // A scheduler decides from now on. Requires: no thread is pending.
  void set_scheduler(std::unique_ptr<Scheduler> scheduler, const Schedule& schedule);
  Scheduler& scheduler() { return *scheduler_; }
  // Decisions and flags of the run go to `record` (null: nowhere); with `traced`, each choice is
  // told to the run listener.
  void report_to(RunRecord* record, bool traced) {
    record_ = record;
    traced_ = traced;
  }

  Thread& current() { return *current_; }
  // The same thread's memory part, for accesses, where every instruction counts.
  ThreadMemory& current_memory() { return *current_memory_; }
  const std::vector<Thread*>& threads() const {
    return threads_;
  }  // all of the run, ended ones too
  std::uint32_t live() const { return live_; }
  // A hang may be about to be proved: the current thread stops wherever `wants_stop`.
  bool proving() const { return proof_.steers(); }
  bool wants_stop(std::uint32_t code, std::uint64_t address) const {
    return proof_.wants_stop(code, address);
  }
  // How often all threads had to wait for the outside.
  std::uint64_t moments() const { return moments_; }

  // The current thread stops with `op` until the scheduler has chosen it and it is enabled. When
  // this returns the operation takes effect: nothing else runs until the current thread's next
  // operation.
  void perform(Operation& op);

  // A signal came for a thread: if it is stopped, `taking` it is what it is about to do now, and
  // what it was about to do comes afterwards.
  void interrupt(Thread& t, const Operation& taking);
  // For signal handlers: the next decision sends what was noted.
  void note_signal() { signal_noted_.store(true, std::memory_order_relaxed); }

  // Something has changed that a stopped thread waits for (see WaitRule::notifies_on_change), or
  // the thread itself.
  void changed(const void* state);
  void reconsider(Thread& t);

  // Gives a thread that the current one creates its index and its name. It is no part of the run
  // before `add`.
  void prepare(Thread& t, CodeName created_at);
  // The prepared thread can be switched to and is ready to start.
  void add(Thread& t);
  // The current thread, which was added, runs for the first time.
  void started(Thread& t);
  // The current thread has finished all of its code.
  void end_current();

  Progress progress;
  std::uint64_t now = 0;     // virtual nanoseconds since the epoch of the run
  std::uint64_t steps = 0;   // events executed
  std::uint64_t points = 0;  // events at which the thread stopped
  std::uint64_t switches = 0;

 private:
  // Stops with `op` until chosen. False if a signal was taken in its place.
  bool stop(Operation& op);
  void make_current(Thread& t);
  // The thread was chosen and goes on, with this operation.
  Operation& goes_on(Thread& t);
  // The thread that goes on, now that `stops` (null: no thread) has stopped.
  Thread* choose(Thread* stops);
  void wait_until_one_can_run();
  // If there are two or more: the scheduler's decision, recorded.
  Thread* decide();
  bool signal_noted() const { return signal_noted_.load(std::memory_order_relaxed); }
  const ThreadSet& able() const {
    return progress.stuck() || !pending_.any_eager() ? pending_.enabled() : pending_.eager();
  }
  bool advance_time();
  bool wait_outside();
  void check_hang();
  // Returns the thread that goes on, or null where the proof leaves that to the scheduler.
  Thread* prove_on(const Thread* stops);
  // A wait that only time ends, ends now.
  void expire(Thread& t);
  void set_flag(RunFlags flag) {
    if (record_ != nullptr) {
      record_->flags |= flag;
    }
  }

  Carrier* carrier_ = nullptr;
  OperationListener& memory_;
  RunListener& report_;
  World& world_;
  RunRecord* record_ = nullptr;
  bool traced_ = false;
  std::atomic<bool> signal_noted_{false};
  std::unique_ptr<Scheduler> scheduler_;
  std::vector<Thread*> threads_;
  PendingThreads pending_;
  HangProof proof_{progress};
  Thread* current_ = nullptr;
  ThreadMemory* current_memory_ = nullptr;
  std::uint32_t live_ = 0;
  std::uint64_t moments_ = 0;
};

}  // namespace rff
