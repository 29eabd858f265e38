// Where the events of a run are told one by one, in the order in which they happen: traces.
#pragma once

#include <cstdint>

#include "libsched/engine/thread.h"
#include "libsched/support/capture.h"
#include "schedule/event.h"

namespace rff {

// Where a read's value came from.
struct ReadSource {
  bool known = false;
  bool unseen = false;
  std::uint64_t step = 0;
  CodeName site;
  std::uint32_t thread = 0;
  OpKind op = OpKind::kNone;
  bool followed = true;  // false: only one thread has used the memory, so that nobody noted it
};

class EventListener {
 public:
  virtual ~EventListener() = default;
  // Registers where the event happens, on the thread's own stack; set before each call below.
  StopContext here;
  // An operation that touches no memory.
  virtual void event(const Thread& t, const Operation& op, std::uint64_t step) = 0;
  // `exact_name`: the location's, which does not change from run to run.
  virtual void memory_event(const Thread& t, OpKind op, const AbstractEvent& e,
                            std::uint64_t address, std::uint64_t exact_name, std::uint64_t step,
                            bool point, const ReadSource& source) = 0;
  // A write was committed: its value is in memory. Called in the order in which writes were told.
  virtual void committed(std::uint64_t address, std::uint32_t size) = 0;
};

}  // namespace rff
