// A pending operation: what a stopped thread is about to do, and what it waits for.
//
// Enabledness, deadlock detection and the explanation of a deadlock all derive from it. An
// operation takes effect only after the scheduler has picked its thread.
#pragma once

#include <cstdint>
#include <vector>

#include "schedule/event.h"
#include "schedule/failure.h"

namespace rff {

struct Thread;
struct Operation;

inline constexpr std::uint64_t kNever = ~std::uint64_t{0};

// Whether a signal handler that runs during a wait interrupts it.
enum class Interruption : std::uint8_t { kNone, kUnlessRestarted, kAlways };

// A kind of wait; one static instance for each.
struct WaitRule {
  // Returns whether the operation could take effect now. Depends only on its `state` if it has one.
  bool (*enabled)(const Operation&);
  // Returns the thread that holds the awaited object; null if none does.
  Thread* (*holder)(const Operation&, CodeName* since);
  WaitObject object;  // for reports
  // True if every change of the state is announced by Execution::changed. Otherwise `enabled` is
  // called at every decision.
  bool notifies_on_change = false;
};

// Memory that a thread has read in a pass of its loop.
struct AwaitedBytes {
  std::uint64_t begin = 0, end = 0;
};

struct Operation {
  OpKind op = OpKind::kNone;
  std::uint64_t address = 0;
  std::uint32_t size = 0;  // bytes; 0: the object as a whole
  CodeName site;
  Location place;  // for objects without an address; otherwise derived from `address`
  const WaitRule* waits_for = nullptr;  // null: always enabled
  const WaitRule* tries =
      nullptr;            // does not wait: `failed` is set if this does not hold when it runs
  void* state = nullptr;  // belongs to the rule
  std::uint64_t deadline = kNever;  // virtual nanoseconds
  bool external = false;            // ended by something outside the process; never a deadlock
  bool cancellable = false;         // a request to cancel the thread ends the wait
  Interruption on_signal = Interruption::kNone;
  bool second_half = false;  // second part of an instruction: no signal is taken before it
  bool timed_out = false;    // set when the deadline ended the wait
  bool interrupted = false;  // a signal ended the wait: the operation has taken no effect
  AbstractEvent event;       // filled by Execution::perform
  std::uint64_t id = 0;      // event.id()
  std::uint32_t index = 0;   // index of the event in the run's table
  std::uint32_t code = 0;    // see Cell: the patched site, or an interned event
  const std::uint64_t* expected =
      nullptr;          // compare-exchange: what memory must hold for it to write
  // The operation begins a pass of a loop that the thread has made before and that changed nothing:
  // it waits until some of this memory changes. Null: it does not.
  const std::vector<AwaitedBytes>* awaited = nullptr;
  bool failed = false;  // took no effect (trylock, compare-exchange): no progress

  bool reads() const { return op_reads(op); }
  bool writes() const { return op_writes(op); }
};

}  // namespace rff
