// One run of a schedule in a fresh process, without fork server and cache: how findings are
// confirmed and schedules audited.
#pragma once

#include <atomic>
#include <string>
#include <vector>

#include "fuzzer/common/shared_mapping.h"
#include "schedule/schedule_file.h"
#include "schedule/shared_memory.h"

namespace rff {

struct RerunResult {
  std::string problem;  // why there is no result; empty if there is
  RunOutcome outcome = RunOutcome::kUnknown;
  Finding run;  // kind none if it did not fail
};

class Rerunner {
 public:
  struct Settings {
    std::string launcher;
    std::string carrier;
    std::string folder;  // for the file that is run
    std::uint32_t timeout_ms = 0;
  };
  // `cancel`: when set, a run under way is given up.
  Rerunner(Settings settings, const std::atomic<bool>& cancel);

  // Runs schedule.target under the schedule. Whether decisions are replayed or made anew depends on
  // whether it has a finding with decisions.
  RerunResult run(const Schedule& schedule);

  const SharedMemory& memory() const { return *shared_.as<SharedMemory>(); }

 private:
  Settings settings_;
  const std::atomic<bool>& cancel_;
  SharedMapping shared_;
};

// What two runs of one schedule disagree on, in one line; empty if they are the same run.
std::string first_divergence(const Finding& expected, const RerunResult& seen);

}  // namespace rff
