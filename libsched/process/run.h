// One run of the program: everything that belongs to it, and nothing that belongs to the process.
//
// Everything before the program's first thread is the same in every run. So a Run exists from the
// start of the process; the schedule takes over at `begin` and stops at `end`.
#pragma once

#include <cstdint>
#include <memory>

#include "libsched/engine/execution.h"
#include "libsched/memory/accesses.h"
#include "libsched/memory/branch_log.h"
#include "libsched/memory/event_table.h"
#include "libsched/memory/locations.h"
#include "libsched/memory/modules.h"
#include "libsched/memory/shadow.h"
#include "libsched/process/world_choices.h"
#include "libsched/report/findings.h"
#include "libsched/report/loop_watch.h"
#include "libsched/report/program_state.h"
#include "libsched/report/thread_stack.h"
#include "libsched/report/trace_writer.h"
#include "schedule/schedule_file.h"
#include "schedule/shared_memory.h"

namespace rff {

class Run {
 public:
  // Starts with `main` running; no schedule decides yet.
  Run(Thread& main, const Modules& modules, World& world);

  // Lets the schedule decide from here on. `shared`: receives the report (null: none); `map`:
  // AFL++'s (null: none).
  void begin(const Schedule& given, SharedMemory* shared, std::uint8_t* map,
             std::uint32_t map_size = kLargeMap);
  bool begun() const { return begun_; }
  // The program has created no thread so far.
  bool before_first_thread() const { return !begun_ || execution.threads().size() == 1; }

  // Call when the program ends by itself with this status, or a finding has ended it. Writes the
  // record. Only the first call counts.
  void end(int exit_status);

  // The schedule of the run; before the run begins, an empty one.
  const Schedule& schedule() const { return *schedule_; }

  Execution execution;
  Locations locations;
  EventTable events;
  Accesses accesses;
  Shadow shadow;
  BranchLog branches;
  MemoryCheck check;
  StackCheck stack_check;
  TraceWriter trace;
  Findings findings;
  ProgramState state;
  LoopWatch loops;
  ThreadStack stack;
  WorldChoices choices;
  int exit_status = 0;
  Driver* driver = nullptr;  // chooses the threads; null: the schedule alone decides

 private:
  void use_points();
  RunOutcome write_record();

  // Separate from the rest, which every run writes to: it is large.
  std::unique_ptr<Schedule> schedule_ = std::make_unique<Schedule>();
  const Modules& modules_;
  SharedMemory* shared_ = nullptr;
  bool begun_ = false;
  bool ended_ = false;
};

}  // namespace rff
