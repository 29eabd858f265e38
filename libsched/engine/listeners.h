// Interfaces through which the engine reports what happens and asks about the world outside.
#pragma once

#include <cstdint>

#include "libsched/engine/thread.h"
#include "libsched/support/capture.h"
#include "schedule/schedule_file.h"

namespace rff {

// Implemented by memory. Receives every operation, when its thread announces it and when it takes
// effect.
class OperationListener {
 public:
  virtual ~OperationListener() = default;
  // Assigns the abstract event to the operation.
  virtual void name(Operation& op) = 0;
  // Called when the last write that the thread announced is in memory.
  virtual void commit(Thread& t) = 0;
  // Called before the thread stops with `op`. Names the operation.
  virtual void announced(Thread& t, Operation& op) = 0;
  // Called when the scheduler has let the operation happen.
  virtual void takes_effect(Thread& t, Operation& op) = 0;
  // Called when a signal replaces the pending operation of a stopped thread.
  virtual void interrupted(Thread& t) = 0;
  // Called when `parent` has created a thread.
  virtual void created(Thread& /*parent*/, Thread& /*child*/) {}
  // Called when the thread has executed all of its code.
  virtual void ended(Thread& t) = 0;
};

// Is told where threads stop.
class StopListener {
 public:
  virtual ~StopListener() = default;
  // The thread has stopped with its pending operation and these registers. Other threads have not
  // run yet.
  virtual void stopped(Thread& t, const StopContext& where) = 0;
};

// Receives the outcome of a run. The first three do not return.
class RunListener {
 public:
  virtual ~RunListener() = default;
  [[noreturn]] virtual void deadlock() = 0;
  [[noreturn]] virtual void hang() = 0;
  // Called when a replay that diverged from its recording does not end by itself.
  [[noreturn]] virtual void gave_up() = 0;
  // Called when the schedule has no further decision and wants none.
  [[noreturn]] virtual void rejected() = 0;
  // Called when a replay cannot follow decision number `index`. `seen`: the expected thread, if it
  // can run but is about to do something else. The run goes on.
  virtual void diverged(std::size_t index, const Decision& expected, const Thread* seen,
                        std::size_t enabled) = 0;
  // For traces: `chosen` runs next, `previous` ran before, and `able` threads could have been
  // chosen.
  virtual void chosen(std::uint64_t steps, const Thread& previous, const Thread& chosen,
                      std::size_t able) = 0;
};

// The process and system around the threads.
class World {
 public:
  virtual ~World() = default;
  // Runs the current thread's handlers for the signals it can take. Returns whether that interrupts
  // a wait that allows it.
  virtual bool take_signals(Thread& t, Interruption allowed) = 0;
  // Sends the signals that were noted (Execution::note_signal) to the threads.
  virtual void send_noted_signals() = 0;
  // Returns whether something set up earlier (a timer) will wake a thread, although no pending
  // operation says so.
  virtual bool will_wake_a_thread() = 0;
  // Waits a little for the world outside. Requires: no thread can run.
  virtual void wait_a_moment() = 0;
  // Returns whether another process may write to this one's memory: waiting for it is no hang.
  virtual bool shares_memory() = 0;
  // Returns a hash of the state of all synchronization objects and signals.
  virtual std::uint64_t objects() { return 0; }
  // The thread's alternate signal stack; empty if it has none. The kernel may write there any time.
  struct Stack {
    std::uint64_t low = 0, high = 0;
  };
  virtual Stack signal_stack(const Thread&) { return {}; }
};

// Compares states of the whole program: the registers and pending operations of its threads, memory
// and synchronization objects. See hang_proof.h.
class StateWitness {
 public:
  virtual ~StateWitness() = default;
  // Begins a proof and forgets the stops noted before.
  virtual void begin() = 0;
  // Notes that the current thread has stopped, with its registers.
  virtual void stopped(Thread& t, const StopContext& where) = 0;
  // Returns whether the thread has stopped since the proof began.
  virtual bool knows(const Thread& t) const = 0;
  // Keeps the current state for comparisons. Returns false if it cannot be seen.
  virtual bool remember() = 0;
  // For the current thread, which has just stopped: whether it has the same position and registers
  // as in the kept state; and whether the whole state is the same. Requires: no other thread has
  // moved.
  virtual bool at_same_place(const Thread& t) const = 0;
  virtual bool same(const Thread& t) const = 0;
  // Turns on or off watching whether the current thread asks for something from outside.
  virtual void watch(bool on) = 0;
  // Returns whether it did, or whether that is unknown.
  virtual bool saw_outside() const = 0;
};

}  // namespace rff
