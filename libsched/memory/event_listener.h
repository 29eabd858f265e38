// Interface that receives the events of a run one by one, in order. Implemented by the trace
// writer.
#pragma once

#include <cstdint>

#include "libsched/engine/thread.h"
#include "libsched/support/capture.h"
#include "schedule/event.h"

namespace rff {

// Origin of a value that was read.
struct ReadSource {
  bool known = false;
  bool unseen = false;
  std::uint64_t step = 0;
  CodeName site;
  std::uint32_t thread = 0;
  OpKind op = OpKind::kNone;
  bool followed =
      true;  // false: the memory is private to one thread, so its writers are not tracked
};

class EventListener {
 public:
  virtual ~EventListener() = default;
  // Registers at the event, on the thread's own stack; set before each call below.
  StopContext here;
  // Reports an operation that touches no memory.
  virtual void event(const Thread& t, const Operation& op, std::uint64_t step) = 0;
  // Reports an access. `exact_name`: the location's name, which is the same in every run.
  virtual void memory_event(const Thread& t, OpKind op, const AbstractEvent& e,
                            std::uint64_t address, std::uint64_t exact_name, std::uint64_t step,
                            bool point, const ReadSource& source) = 0;
  // Reports another write that the read of this step has seen.
  virtual void further_source(std::uint64_t step, const ReadSource& source) = 0;
  // Reports that a write was committed: its value is in memory. Called in the order of the writes.
  virtual void committed(std::uint64_t address, std::uint32_t size) = 0;
};

}  // namespace rff
