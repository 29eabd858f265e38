// A pending operation: what a stopped thread is about to do, and what it waits for.
//
// Enabledness, deadlock detection and the explanation of a deadlock all come from this one
// statement. An operation takes effect only after the scheduler has chosen its thread.
#pragma once

#include <cstdint>

#include "schedule/event.h"
#include "schedule/failure.h"

namespace rff {

struct Thread;
struct Operation;

inline constexpr std::uint64_t kNever = ~std::uint64_t{0};

// What a signal handler that ran meanwhile does to a wait.
enum class Interruption : std::uint8_t { kNone, kUnlessRestarted, kAlways };

// What an operation may wait for; one static instance per kind of wait.
struct WaitRule {
  // Whether the operation could take effect now. Depends on its `state` alone if it has one.
  bool (*enabled)(const Operation&);
  // Who holds what it waits for, if someone does.
  Thread* (*holder)(const Operation&, CodeName* since);
  WaitObject object;  // for reports
  // Whoever changes a state says so (Execution::changed); the others are asked at every decision.
  bool notifies_on_change = false;
};

struct Operation {
  OpKind op = OpKind::kNone;
  std::uint64_t address = 0;
  std::uint32_t size = 0;  // bytes; 0: the object as a whole
  CodeName site;
  Location place;  // of objects without an address of their own; else from `address`
  const WaitRule* waits_for = nullptr;  // null: always enabled
  const WaitRule* tries =
      nullptr;            // does not wait: `failed` is set if this does not hold when it runs
  void* state = nullptr;  // the rule's own
  std::uint64_t deadline = kNever;  // virtual nanoseconds
  bool external = false;            // ends by something outside the process; never a deadlock
  bool cancellable = false;         // a request to cancel its thread ends the wait
  Interruption on_signal = Interruption::kNone;
  bool second_half = false;  // of an instruction: no signal comes before it
  bool timed_out = false;    // set when the deadline ended the wait
  bool interrupted = false;  // a signal ended the wait: the operation has taken no effect
  AbstractEvent event;       // filled by Execution::perform
  std::uint64_t id = 0;      // event.id()
  std::uint32_t index = 0;   // of the event in the run's table
  std::uint32_t code = 0;    // see Cell: the patched site, or an interned event
  const std::uint64_t* expected =
      nullptr;          // compare-exchange: what memory must hold for it to write
  bool failed = false;  // took no effect (trylock, compare-exchange): no progress

  bool reads() const { return op_reads(op); }
  bool writes() const { return op_writes(op); }
};

}  // namespace rff
