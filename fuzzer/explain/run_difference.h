// The first difference between two runs of one schedule, which should be equal.
#pragma once

#include <optional>
#include <string>

#include "fuzzer/debug/debug_info.h"
#include "fuzzer/explain/value_source.h"

namespace rff {

struct RunDifference {
  std::uint64_t event = 0;       // number in the trace, from 1; 0: only the output differs
  std::string thread;            // "main.1"
  std::string operation, place;  // "read", "clock.c:12"
  std::string location;          // "`start`"; empty if the event has none
  std::string first, second;     // values, or what the runs did instead
  ValueSource source;

  // One line: "event 12: main.1 reads `start` at clock.c:12: first 5, then 7; likely source: …".
  std::string text() const;
};

struct ComparedRun {
  const Run& run;  // with its trace
  Surroundings surroundings;
};

// Compares the whole traces, then what the programs printed. Nothing if they are equal.
std::optional<RunDifference> difference_of(const ComparedRun& first, const ComparedRun& second,
                                           DebugInfo& debug);

}  // namespace rff
