// Everything that one run of a program reported.
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
  Finding finding;  // kind none if it did not fail; `decisions` in any case
  std::uint32_t flags = 0;
  std::uint64_t events = 0;
  std::uint64_t scheduling_points = 0;
  std::uint64_t switches = 0;
  std::uint32_t threads = 0;
  std::vector<AbstractEvent> event_list;
  std::vector<std::string> unpatched_modules;
  std::vector<std::string> unmodelled_calls;
  std::uint32_t overflowed = 0;       // OverflowedList: what the record does not hold all of
  Trace trace;                        // empty unless the runner was asked for it
  std::string output;                 // what the program printed, likewise; the last of it
  std::uint64_t output_left_out = 0;  // bytes before that
  int wait_status = 0;
  bool from_start = false;  // it began before main: see schedule/from_start.h
  bool killed = false;  // by the runner, because it did not end; the outcome is kUnresponsive then

  // Left the recorded run and was stopped because it did not end.
  bool gave_up() const { return outcome == RunOutcome::kDiverged && !trace.stacks.empty(); }
  bool failed() const { return finding.kind != FindingKind::kNone; }
};

// Reads the shared memory of a run that has ended. Leaves trace and wait status empty.
Run collect_run(const SharedMemory& shared);

}  // namespace rff
