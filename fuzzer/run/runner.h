// Runs programs under schedules: each run in a fresh process, without fork server and cache.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "fuzzer/common/shared_mapping.h"
#include "fuzzer/common/temporary_folder.h"
#include "fuzzer/common/tool_error.h"
#include "fuzzer/run/child_process.h"
#include "fuzzer/run/run.h"

namespace rff {

// Thrown when the user interrupts a run.
class Interrupted : public ToolError {
 public:
  Interrupted() : ToolError(kToolFailed, "interrupted") {}
};

class Runner {
 public:
  enum class Tracing { kNone, kShared, kEverything };  // kEverything: private accesses too
  struct Settings {
    std::string launcher;
    std::string carrier;                    // empty: the runtime's choice
    double timeout = 60;                    // seconds until a run is killed
    std::uint32_t schedule_timeout_ms = 0;  // time until the runtime ends the run; 0: never
    Tracing tracing = Tracing::kNone;
    bool keep_output = false;    // in Run::output; standard error stays that of this program
    bool tee_output = false;     // likewise, including standard error; the program sees /dev/null
    std::function<void()> tick;  // called regularly while the program runs
  };
  // interrupted() ends a run early, unless stop_when() sets another flag.
  explicit Runner(Settings settings);

  // Runs schedule.target. Replays the recorded decisions if the schedule has a finding with
  // decisions; else the scheduler decides. Throws ToolError (3) if no run is possible, Interrupted
  // if the flag is set.
  Run run(const Schedule& schedule);

  // `flag` must outlive the runner.
  void stop_when(const std::atomic<bool>& flag) { stop_ = &flag; }
  // Whether traces include the callers of each event. This makes runs slower.
  void trace_callers(bool wanted) { callers_ = wanted; }
  void trace(Tracing tracing) { settings_.tracing = tracing; }
  void use_carrier(std::string carrier) { settings_.carrier = std::move(carrier); }
  std::uint64_t runs() const { return runs_; }

  // Returns the memory of the last run. The next run uses new memory.
  std::shared_ptr<SharedMemory> take_memory();

 private:
  void prepare(const Schedule& schedule);
  ChildProcess::Command command(const Schedule& schedule) const;
  // Returns false if the child had to be killed.
  bool wait_for(ChildProcess& child) const;

  Settings settings_;
  TemporaryFolder folder_;
  std::shared_ptr<SharedMapping> shared_;
  std::uint64_t runs_ = 0;
  bool callers_ = false;
  const std::atomic<bool>* stop_;
};

}  // namespace rff
