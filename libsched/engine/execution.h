// Serial execution of the target's threads: keeps track of which are enabled and switches to the
// one that the scheduler picks.
//
// Knows no C library and makes no system call: the carrier, memory and the outside world are behind
// the interfaces in carrier.h and listeners.h.
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
  // Starts with `main` as the running thread.
  Execution(Thread& main, OperationListener& memory, RunListener& report, World& world);
  void set_carrier(Carrier& carrier) { carrier_ = &carrier; }
  // Without a witness, hangs are never reported.
  void set_witness(StateWitness& witness) { proof_.set_witness(&witness); }

  // Lets `scheduler` decide from now on. Requires: no thread is pending.
  void set_scheduler(std::unique_ptr<Scheduler> scheduler, const Schedule& schedule);
  Scheduler& scheduler() { return *scheduler_; }
  // Records decisions and flags of the run in `record` (null: nowhere); with `traced`, reports each
  // choice to the run listener.
  void report_to(RunRecord* record, bool traced) {
    record_ = record;
    traced_ = traced;
  }

  // Null: none.
  void set_stop_listener(StopListener* listener) { stop_listener_ = listener; }

  Thread& current() { return *current_; }
  // Memory part of the current thread. Cached because the access path counts every instruction.
  ThreadMemory& current_memory() { return *current_memory_; }
  // Where the memory part of the current thread is found.
  const void* current_memory_at() const { return &current_memory_; }
  const std::vector<Thread*>& threads() const {
    return threads_;
  }  // all of the run, ended ones too
  std::uint32_t threads_of_program() const {
    return static_cast<std::uint32_t>(threads_.size()) - attendants_;
  }
  // The threads of the program that have not ended.
  std::uint32_t live() const { return live_; }
  // Whether nobody can act but the current thread.
  bool alone() const { return live_ <= 1 && attendants_ == 0; }
  // True while a hang proof steers the run: the current thread then stops wherever `wants_stop`.
  bool proving() const { return proof_.steers(); }
  bool wants_stop(std::uint32_t code, std::uint64_t address) const {
    return proof_.wants_stop(code, address);
  }
  // Number of times that all threads had to wait for the outside.
  std::uint64_t moments() const { return moments_; }

  // Stops the current thread with `op` until it is enabled and the scheduler picks it. On return
  // the operation takes effect: no other thread runs until the current thread's next operation.
  void perform(Operation& op);

  // Delivers a signal to a thread. If it is stopped, `taking` becomes its pending operation, and
  // the operation it was about to perform follows afterwards.
  void interrupt(Thread& t, const Operation& taking);
  // Async-signal-safe. The next decision sends the noted signals.
  void note_signal() { signal_noted_.store(true, std::memory_order_relaxed); }

  // Call after changing a state that stopped threads may wait for (see
  // WaitRule::notifies_on_change); `reconsider` does the same for a single thread.
  void changed(const void* state);
  void reconsider(Thread& t);
  // Lets `op` take the place of the operation with which an attendant has stopped.
  void restate(Thread& t, const Operation& op);

  // Assigns index and name to a thread that the current one creates. It joins the run with `add`.
  void prepare(Thread& t, CodeName created_at);
  // Makes the prepared thread pending with its start operation, which an attendant brings along.
  // Requires: the carrier can switch to it.
  void add(Thread& t);
  // Call first thing on an added thread, when it runs for the first time.
  void started(Thread& t);
  // Ends the current thread, which has executed all of its code.
  void end_current();

  Progress progress;
  std::uint64_t now = 0;     // virtual nanoseconds since the run's epoch
  std::uint64_t steps = 0;   // events executed
  std::uint64_t points = 0;  // events at which the thread stopped
  std::uint64_t switches = 0;

 private:
  __attribute__((noinline)) void perform_here(Operation& op);
  // Stops with `op` until picked. Returns false if a signal was taken in its place.
  bool stop(Operation& op);
  void make_current(Thread& t);
  // Removes the picked thread from the pending ones and returns its operation.
  Operation& goes_on(Thread& t);
  // Returns the thread to run next, after `stops` (null: none) has stopped.
  Thread* choose(Thread* stops);
  void wait_until_one_can_run();
  // Returns the only able thread, or asks the scheduler and records its decision.
  Thread* decide();
  bool signal_noted() const { return signal_noted_.load(std::memory_order_relaxed); }
  const ThreadSet& able() const {
    return progress.stuck() || !pending_.any_eager() ? pending_.enabled() : pending_.eager();
  }
  bool any_restless() const;
  bool advance_time();
  bool wait_outside();
  void check_hang();
  // Returns the thread to run next, or null if the proof leaves that to the scheduler.
  Thread* prove_on(const Thread* stops);
  // Ends a timed wait now, by its timeout.
  void expire(Thread& t);
  // Records that a timed wait ends although another thread could run.
  void note_early_timeout(const Thread& t);
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
  bool asks_always_ = false;  // Scheduler::sees_every_point
  StopListener* stop_listener_ = nullptr;
  std::atomic<bool> signal_noted_{false};
  std::unique_ptr<Scheduler> scheduler_;
  std::vector<Thread*> threads_;
  PendingThreads pending_;
  HangProof proof_{progress};
  Thread* current_ = nullptr;
  ThreadMemory* current_memory_ = nullptr;
  std::uint32_t live_ = 0;
  std::uint32_t attendants_ = 0;
  std::uint64_t moments_ = 0;
  // Not on the program's stack, which must be the same whether a run is driven or not.
  StopContext stopped_at_;
};

}  // namespace rff
