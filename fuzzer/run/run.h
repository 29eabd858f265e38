// The complete result of one run of a program.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "fuzzer/common/trace_file.h"
#include "schedule/schedule_file.h"
#include "schedule/shared_memory.h"

namespace rff {

struct Run {
  RunOutcome outcome = RunOutcome::kUnknown;
  Finding finding;  // kind none if the run did not fail; `decisions` are always set
  std::uint32_t flags = 0;
  EarlyTimeout early_timeout;
  std::uint64_t events = 0;
  std::uint64_t scheduling_points = 0;
  std::uint64_t switches = 0;
  std::uint32_t threads = 0;
  std::vector<AbstractEvent> event_list;
  std::vector<std::string> unpatched_modules;
  std::vector<std::string> unmodelled_calls;
  std::uint32_t overflowed = 0;       // OverflowedList: incomplete lists of the record
  Trace trace;                        // empty unless requested
  std::string values;                 // what a property drew from the input, one value per line
  std::string output;                 // the end of the program's output; empty unless requested
  std::uint64_t output_left_out = 0;  // bytes of output before that
  int wait_status = 0;
  int process = 0;          // its number, as the system knows it
  bool from_start = false;  // the run began before main: see schedule/from_start.h
  bool killed = false;  // the runner killed it because it did not end; the outcome is kUnresponsive

  // Whether a replay diverged and was then stopped because it did not end.
  bool gave_up() const { return outcome == RunOutcome::kDiverged && !trace.stacks.empty(); }
  bool failed() const { return finding.kind != FindingKind::kNone; }
};

// Reads the shared memory of a run that has ended. Leaves trace and wait status empty.
Run collect_run(const SharedMemory& shared);

}  // namespace rff
