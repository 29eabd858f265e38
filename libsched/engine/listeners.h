// Whom the engine tells what happens, and whom it asks about the world outside the threads.
#pragma once

#include <cstdint>

#include "libsched/engine/thread.h"
#include "libsched/support/capture.h"
#include "schedule/schedule_file.h"

namespace rff {

// Memory hears of every operation: when its thread announces it, and when it takes effect.
class OperationListener {
 public:
  virtual ~OperationListener() = default;
  // Gives the operation the abstract event it is.
  virtual void name(Operation& op) = 0;
  // What the thread announced to write last is in memory now.
  virtual void commit(Thread& t) = 0;
  // The thread is about to stop with `op`. Names the operation.
  virtual void announced(Thread& t, Operation& op) = 0;
  // The scheduler has let the operation happen.
  virtual void takes_effect(Thread& t, Operation& op) = 0;
  // A signal takes the place of what a stopped thread was about to do.
  virtual void interrupted(Thread& t) = 0;
  // The thread has executed all of its code.
  virtual void ended(Thread& t) = 0;
};

// What becomes of a run. None of the first three returns.
class RunListener {
 public:
  virtual ~RunListener() = default;
  [[noreturn]] virtual void deadlock() = 0;
  [[noreturn]] virtual void hang() = 0;
  // A replay that has left its recorded run does not end by itself.
  [[noreturn]] virtual void gave_up() = 0;
  // A replay cannot follow its decision number `index`. `seen`: the thread it names, if that can
  // run but is about to do something else. The run goes on.
  virtual void diverged(std::size_t index, const Decision& expected, const Thread* seen,
                        std::size_t enabled) = 0;
  // For traces: `chosen` goes on, `previous` ran before; `able` threads could have been chosen.
  virtual void chosen(std::uint64_t steps, const Thread& previous, const Thread& chosen,
                      std::size_t able) = 0;
};

// The world around the threads.
class World {
 public:
  virtual ~World() = default;
  // The current thread calls its handlers for the signals it can take. Returns whether a wait that
  // allows it is interrupted.
  virtual bool take_signals(Thread& t, Interruption allowed) = 0;
  // Sends the signals that were noted (Execution::note_signal) to the threads.
  virtual void send_noted_signals() = 0;
  // Whether something set up before (a timer) will wake a thread although no pending operation says
  // so.
  virtual bool will_wake_a_thread() = 0;
  // No thread can run: waits a little for the world outside.
  virtual void wait_a_moment() = 0;
  // Another process may write to this one's memory: waiting for it is no hang.
  virtual bool shares_memory() = 0;
  // A number that stands for the state of all synchronisation objects and of signals.
  virtual std::uint64_t objects() { return 0; }
  // The thread's own stack for handlers, none if it has none. The kernel may write there any time.
  struct Stack {
    std::uint64_t low = 0, high = 0;
  };
  virtual Stack signal_stack(const Thread&) { return {}; }
};

// The state of the program as a whole: registers of its threads, their pending operations, memory,
// synchronisation objects. See hang_proof.h.
class StateWitness {
 public:
  virtual ~StateWitness() = default;
  // A proof begins: what was noted before is void.
  virtual void begin() = 0;
  // The current thread has stopped, with these registers.
  virtual void stopped(Thread& t, const StopContext& where) = 0;
  // Whether the thread has stopped since the proof began.
  virtual bool knows(const Thread& t) const = 0;
  // Keeps the state of now to compare with. False if it cannot be seen.
  virtual bool remember() = 0;
  // The current thread has stopped: whether it is where it was then, with the same registers; and
  // whether the whole state is the one that was kept. All other threads are where they were then.
  virtual bool at_same_place(const Thread& t) const = 0;
  virtual bool same(const Thread& t) const = 0;
  // Whether the current thread asks for something from outside is watched from now on, or no more.
  virtual void watch(bool on) = 0;
  // Whether it did, or that could not be told.
  virtual bool saw_outside() const = 0;
};

}  // namespace rff
