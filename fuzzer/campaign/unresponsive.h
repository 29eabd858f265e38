// Collects runs that did not end in time, which are not findings. It keeps their schedules and
// reports the positions of their threads.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "fuzzer/campaign/output_folder.h"
#include "fuzzer/debug/debug_info.h"
#include "schedule/schedule_file.h"

namespace rff {

class UnresponsiveRuns {
 public:
  UnresponsiveRuns(const OutputFolder& output, DebugInfo& sources)
      : output_(output), sources_(sources) {}

  // Keeps the schedule. Returns a message for the first run at its place, else an empty text.
  // Throws ToolError (3) if writing fails.
  std::string add(const Schedule& schedule, std::uint64_t number);

  // Returns the functions in which most threads computed, at most three: "solve, sweep"; empty if
  // none is known.
  std::string busiest() const;
  // Returns one line for each place, and a last line with the number of runs and what to do. Empty
  // if there were none.
  std::string summary(std::uint64_t runs, std::uint32_t timeout_ms, bool unpatched_libraries) const;

 private:
  struct Place {
    std::string words;
    std::uint64_t count = 0;
  };

  const OutputFolder& output_;
  DebugInfo& sources_;
  std::map<std::string, Place> places_;             // by identity
  std::map<std::string, std::uint64_t> functions_;  // number of threads that were there
};

}  // namespace rff
