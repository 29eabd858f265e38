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

// The user does not want to wait for the end of a run.
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
    double timeout = 60;                    // seconds after which a run is killed
    std::uint32_t schedule_timeout_ms = 0;  // after which the runtime ends it; 0: never
    Tracing tracing = Tracing::kNone;
    bool keep_output = false;    // in Run::output; standard error is this program's then
    bool tee_output = false;     // likewise, and standard error too; the program sees /dev/null
    std::function<void()> tick;  // called now and then while the program runs
  };
  // A run ends early when interrupted() is set, unless stop_when() names another flag.
  explicit Runner(Settings settings);

  // Runs schedule.target. The recorded decisions are replayed if the schedule has a finding with
  // decisions, else decisions are made anew. Throws ToolError (3) if no run is possible,
  // Interrupted if the flag is set.
  Run run(const Schedule& schedule);

  // `flag` must live as long as the runner.
  void stop_when(const std::atomic<bool>& flag) { stop_ = &flag; }
  // Whether traces have the callers of each event, which takes time.
  void trace_callers(bool wanted) { callers_ = wanted; }
  void trace(Tracing tracing) { settings_.tracing = tracing; }
  void use_carrier(std::string carrier) { settings_.carrier = std::move(carrier); }
  std::uint64_t runs() const { return runs_; }

  // The memory of the last run, which stays as it is; the next run gets other memory.
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
