// Runs that did not end in time: neither findings nor nothing. Their schedules are kept, and it is
// said where their threads were.
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

  // Keeps the schedule. Returns what there is to say if it is the first at its place, else nothing.
  // Throws ToolError (3) if the disk does not take it.
  std::string add(const Schedule& schedule, std::uint64_t number);

  // Where the runs were, a line for each place; the last line says how many of them there were and
  // what to do. Nothing if there were none.
  std::string summary(std::uint64_t runs, std::uint32_t timeout_ms, bool unpatched_libraries) const;

 private:
  struct Place {
    std::string words;
    std::uint64_t count = 0;
  };

  const OutputFolder& output_;
  DebugInfo& sources_;
  std::map<std::string, Place> places_;  // by what identifies them
};

}  // namespace rff
