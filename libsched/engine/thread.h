// One thread of the target, as far as scheduling decisions need it.
#pragma once

#include <cstdint>
#include <string>

#include "libsched/engine/operation.h"

namespace rff {

struct Crowd;
struct WaitGroup;
// Parts of a thread that belong to other folders and are defined there. They are created along with
// the thread (interpose/target_thread.h).
struct ThreadMemory;
struct CarriedThread;
struct PosixThread;
struct ThreadSignals;

enum class ThreadState : std::uint8_t { kRunning, kPending, kEnded };

// Whether a thread repeats reads without seeing a new value. Maintained by memory/.
struct Spin {
  bool spinning = false;     // runs only when no other thread can
  bool waits = false;        // going on is known to change nothing (Operation::awaited)
  std::uint64_t passes = 0;  // events since it began to spin
};

struct Thread {
  // Fields that decisions read are adjacent.
  Operation* pending = nullptr;  // valid while kPending
  std::uint64_t touches = 0;     // bytes of the pending operation: begin, end, whether it writes
  std::uint64_t touches_end = 0;
  bool touches_as_writer = false;
  bool cancel_due = false;    // a request to cancel the thread may act: ends cancellable waits
  bool may_time_out = false;  // its timed wait may end now although other threads can run
  ThreadState state = ThreadState::kRunning;
  std::uint32_t index = 0;        // order of creation
  Crowd* crowd = nullptr;         // while the thread is pending
  WaitGroup* group = nullptr;     // threads that wait for the same; null if it waits for nothing
  std::uint64_t ready_since = 0;  // the decision since which it could have run every time
  std::uint64_t ready_time = 0;   // the virtual time of that
  std::uint64_t ran_at = 0;       // the virtual time at which it last ran
  std::uint64_t ran_in = 0;       // the decision at which it last ran or was told what to wait for
  Spin spin;

  void stop_with(Operation& op) {
    pending = &op;
    touches = op.address;
    touches_end = op.address == 0 ? 0 : op.address + (op.size > 0 ? op.size : 1);
    touches_as_writer = op.writes();
    may_time_out = false;
    state = ThreadState::kPending;
  }

  // A thread of the runtime that lets descriptors and timers act. The program does not know it:
  // it keeps no process alive, and its waiting is never part of a failure.
  bool attendant = false;

  Thread* parent = nullptr;
  std::string name;  // "main", "main.1", "main.1.2"
  std::uint32_t children = 0;
  CodeName created_at;
  std::uint64_t stack_low = 0;
  std::uint64_t stack_high = 0;   // upper end of the program's frames
  Operation start_operation;      // pending until the thread has run
  Operation signal_operation;     // replaces the thread's operation while a signal is due
  bool signal_held_back = false;  // until the current instruction has executed
  bool need_not_wait = false;     // when the signal came

  ThreadMemory* memory = nullptr;
  CarriedThread* carried = nullptr;
  PosixThread* posix = nullptr;
  ThreadSignals* signals = nullptr;
};

}  // namespace rff
