// Collects runs that ended without a report from the runtime, and describes how they ended.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "fuzzer/common/campaign_memory.h"
#include "fuzzer/debug/debug_info.h"

namespace rff {

class LostRuns {
 public:
  void add(const Report& report);
  std::uint64_t count() const;
  // Returns one line for each kind of end, the most frequent first:
  // "12 times signal 9 (Killed), last seen in worker (a.c:7)".
  std::vector<std::string> texts(DebugInfo& sources) const;

  // Whether so many runs were lost that "no bug found" would be misleading.
  static bool too_many(std::uint64_t lost, std::uint64_t schedules) {
    return lost * 100 > schedules;
  }

 private:
  struct Group {
    std::int32_t wait_status;
    OpKind last_operation;
    CodeName place;
    std::string words;
    std::uint64_t count;
  };
  std::vector<Group> groups_;
};

}  // namespace rff
