// One thread of the target, as far as deciding who runs needs to know it.
#pragma once

#include <cstdint>
#include <string>

#include "libsched/engine/operation.h"

namespace rff {

struct Crowd;
struct WaitGroup;
// Parts of a thread that other rooms keep. Each is defined in its room; whoever makes a thread
// makes its parts (interpose/target_thread.h).
struct ThreadMemory;
struct CarriedThread;
struct PosixThread;
struct ThreadSignals;

enum class ThreadState : std::uint8_t { kRunning, kPending, kEnded };

// Whether a thread repeats reads without a new value. The memory room finds that out.
struct Spin {
  bool spinning = false;     // makes way for others
  std::uint64_t passes = 0;  // events since it began to spin
};

struct Thread {
  // What decisions look at lies together.
  Operation* pending = nullptr;  // valid while kPending
  std::uint64_t touches = 0;     // the pending operation: from where, up to where, as a writer
  std::uint64_t touches_end = 0;
  bool touches_as_writer = false;
  bool cancel_due = false;  // a request to cancel the thread may act: ends cancellable waits
  ThreadState state = ThreadState::kRunning;
  std::uint32_t index = 0;        // order of creation
  Crowd* crowd = nullptr;         // while it is among the pending threads
  WaitGroup* group = nullptr;     // of those that wait for the same; null if for nothing
  std::uint64_t ready_since = 0;  // the decision after which it could have run every time
  Spin spin;

  void stop_with(Operation& op) {
    pending = &op;
    touches = op.address;
    touches_end = op.address == 0 ? 0 : op.address + (op.size > 0 ? op.size : 1);
    touches_as_writer = op.writes();
    state = ThreadState::kPending;
  }

  Thread* parent = nullptr;
  std::string name;  // "main", "main.1", "main.1.2"
  std::uint32_t children = 0;
  CodeName created_at;
  std::uint64_t stack_low = 0;
  std::uint64_t stack_high = 0;   // of the program's frames
  Operation start_operation;      // pending until the thread has run
  Operation signal_operation;     // pending in place of what the thread was about to do
  bool signal_held_back = false;  // until the instruction it is in has executed

  ThreadMemory* memory = nullptr;
  CarriedThread* carried = nullptr;
  PosixThread* posix = nullptr;
  ThreadSignals* signals = nullptr;
};

}  // namespace rff
