// One run of a schedule in a fresh process, with everything it reported.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "fuzzer/common/shared_mapping.h"
#include "fuzzer/common/tool_error.h"
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
  std::uint32_t overflowed = 0;  // OverflowedList: what the record does not hold all of
  Trace trace;
  int wait_status = 0;

  // Left the recorded run and was stopped because it did not end.
  bool gave_up() const { return outcome == RunOutcome::kDiverged && !trace.stacks.empty(); }
  bool failed() const { return finding.kind != FindingKind::kNone; }
  // Failed in the same way: what, and where.
  bool same_failure(const Finding& other) const {
    return failed() && finding.kind == other.kind && finding.place == other.place;
  }
};

// The user does not want to wait for the end of a run.
class Interrupted : public ToolError {
 public:
  Interrupted() : ToolError(kToolFailed, "interrupted") {}
};

class ReplayRunner {
 public:
  struct Settings {
    std::string launcher;
    std::string carrier;         // empty: the runtime's choice
    double timeout = 60;         // seconds of wall-clock time for one run
    bool everything = false;     // trace private accesses too
    std::function<void()> tick;  // called now and then while the program runs
  };
  explicit ReplayRunner(Settings settings);
  ~ReplayRunner();
  ReplayRunner(const ReplayRunner&) = delete;

  // Runs schedule.target. Throws ToolError (3) if that is impossible, Interrupted if the flag is
  // set.
  Run run(const Schedule& schedule);
  void stop_when(const std::atomic<bool>& flag) { stop_ = &flag; }
  std::uint64_t runs() const { return runs_; }

 private:
  Settings settings_;
  SharedMapping shared_;
  std::string folder_;
  std::uint64_t runs_ = 0;
  const std::atomic<bool>* stop_;
};

}  // namespace rff
