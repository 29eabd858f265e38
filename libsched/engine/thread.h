// One thread of the target, as the runtime sees it.
#pragma once

#include <pthread.h>
#include <signal.h>

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include "libsched/carrier/stacks.h"
#include "libsched/engine/operation.h"
#include "libsched/support/vector_state.h"
#include "schedule/hook.h"

namespace rff {

struct Cell;
struct Crowd;
struct Step;
struct WaitGroup;

enum class ThreadState : std::uint8_t { kRunning, kPending, kEnded };

// Reads a thread repeated since it last got anywhere: how a spin loop is told from work. A loop
// that gives up after fewer than kRounds rounds is never held back; one over more places than are
// kept here is found by its length.
struct SpinWatch {
  static constexpr int kEntries = 16;
  static constexpr std::uint32_t kRounds = 32;
  static constexpr std::uint32_t kLongest = 4000;
  struct Entry {
    std::uint64_t address;
    std::uint64_t value;
    std::uint32_t code;  // see Cell
    std::uint32_t rounds;
  };
  Entry entries[kEntries];
  int count = 0;
  std::uint32_t reads = 0;   // since the last reset
  std::uint64_t passes = 0;  // events since it began to spin
  bool spinning = false;
  bool everywhere = false;   // any write may end it
  bool may_be_work = false;  // it reads on and on, but not the same
  void reset() {
    count = 0;
    reads = 0;
    passes = 0;
    spinning = everywhere = may_be_work = false;
  }
};

// Where long stretches without a scheduling point were cut: a loop over a few words is cut at one
// of them again soon, a walk through memory is not.
struct LongRounds {
  static constexpr int kEntries = 16;
  std::uint64_t addresses[kEntries] = {};
  int next = 0;
  bool seen_before(std::uint64_t address) {
    for (std::uint64_t a : addresses) {
      if (a == address) {
        return true;
      }
    }
    addresses[next++ % kEntries] = address;
    return false;
  }
};

// A write whose value is known only once the instruction has executed, i.e. at the thread's next
// event.
struct UnfinishedWrite {
  std::uint64_t address = 0;
  std::uint32_t size = 0;
  bool shared = false;
  bool traced = false;
  std::uint32_t code = 0;
  std::uint64_t seen = 0;  // what a read-modify-write read
  Cell* cell = nullptr;    // of one word that this thread alone uses
  std::uint64_t bits = 0;  // which of that word's
  Step* step = nullptr;    // its record, which lacks the value
};

// Registers at the point where the thread stopped, as the program had them.
struct StopContext {
  std::uint64_t rip = 0, rsp = 0, rbp = 0, rbx = 0, r12 = 0, r13 = 0, r14 = 0, r15 = 0;
};

struct Thread {
  // What decisions look at lies together.
  Operation* pending = nullptr;  // valid while kPending
  std::uint64_t touches = 0;     // the pending operation: from where, up to where, as a writer
  std::uint64_t touches_end = 0;
  bool touches_as_writer = false;
  std::uint32_t index = 0;        // order of creation
  Crowd* crowd = nullptr;         // while it is among the pending threads
  WaitGroup* group = nullptr;     // of those that wait for the same; null if for nothing
  std::uint64_t ready_since = 0;  // the decision after which it could have run every time
  // POS: the score of the pending event; see schedulers/hand.h
  std::uint64_t score = 0;
  std::uint32_t hand = 0;
  std::uint32_t place_in_hand = 0;

  void stop_with(Operation& op) {
    pending = &op;
    touches = op.address;
    touches_end = op.address == 0 ? 0 : op.address + (op.size > 0 ? op.size : 1);
    touches_as_writer = op.writes();
    state = ThreadState::kPending;
  }

  std::uint16_t tag = 1;  // index + 1: in Cell::owner, where 0 is nobody
  Thread* parent = nullptr;
  std::string name;  // "main", "main.1", "main.1.2"
  std::uint32_t children = 0;
  CodeName created_at;
  ThreadState state = ThreadState::kRunning;
  Operation start_operation;  // pending of a thread that has not run yet

  // pthread semantics
  pthread_t handle = 0;
  void* (*entry)(void*) = nullptr;       // what the carrier calls
  void* (*user_entry)(void*) = nullptr;  // what the program asked for
  void* argument = nullptr;
  void* result = nullptr;
  std::string label;  // pthread_setname_np
  bool detached = false;
  bool released = false;  // joined, or detached and ended: its handle is no longer valid
  bool cancel_requested = false;
  bool cancel_enabled = true;
  bool cancel_asynchronous = false;
  Thread* joiner = nullptr;
  int class_policy = 0;  // SCHED_OTHER; see interpose/priorities.cc
  int class_priority = 0;

  // signals; see interpose/signals.h
  std::uint64_t signal_mask = 0;
  std::uint64_t signals_awaited = 0;
  std::vector<siginfo_t> signals;  // sent to this thread and not yet taken
  stack_t signal_stack = {nullptr, SS_DISABLE, 0};
  Operation signal_operation;     // pending in place of what the thread was about to do
  bool signal_held_back = false;  // until the instruction it is in has executed

  // carrier
  std::atomic<std::uint32_t> baton{0};  // 1: this thread may run
  void (*body)(Thread&) = nullptr;
  Stack stack;                      // none if it is not the carrier's to give back
  std::uint64_t stack_pointer = 0;  // of a fiber that does not run

  // memory
  std::uint64_t stack_low = 0;
  std::uint64_t stack_high = 0;   // of the program's frames
  std::uint64_t stack_top = 0;    // of the whole stack
  std::uint64_t first_frame = 0;  // where the program's first frame shall be; 0 if anywhere
  std::uint64_t last_site = 0;    // for control-flow edges
  std::uint64_t hash_part = 0;    // index << 32: the thread in the hash of the run
  UnfinishedWrite unfinished;
  SpinWatch spin;
  // A thread that goes on for long without a scheduling point is stopped once: what it waits for
  // may not be known as shared yet.
  static constexpr std::uint64_t kLongestStretch = 10'000;
  std::uint64_t stretch_end = kLongestStretch;  // the step at which that happens
  LongRounds rounds;
  bool changed_something = false;  // a write left another value than before
  bool in_patched_code = false;    // stopped between two instructions: all registers are in use
  KeptVectors vectors;
  StopContext stop;

  // schedulers
  std::uint64_t priority = 0;  // PCT
  Random random;               // what the program draws, whatever the schedule
};

}  // namespace rff
