#include "fuzzer/run/replay_run.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <thread>

#include "fuzzer/run/interrupts.h"
#include "fuzzer/run/launch.h"
#include "fuzzer/common/files.h"
#include "fuzzer/common/overflow.h"

namespace rff {
namespace {

namespace fs = std::filesystem;

void collect(const SharedMemory& shared, Run& result) {
  const RunRecord& run = shared.run;
  result.outcome = run.outcome.load();
  result.finding.kind = result.outcome == RunOutcome::kFinding ? run.finding : FindingKind::kNone;
  result.finding.summary = run.message.view();
  result.finding.place = run.place;
  result.finding.trace_hash = run.trace_hash;
  result.finding.decisions = complete_decisions(run);
  result.overflowed = overflowed_lists(shared);
  result.flags = run.flags;
  result.events = run.events;
  result.scheduling_points = run.scheduling_points;
  result.switches = run.switches;
  result.threads = run.threads;
  result.event_list.assign(run.event_list.begin(), run.event_list.end());
  for (const ModuleRecord& m : shared.modules) {
    if ((m.flags & (kModulePatched | kModuleSystem)) == 0) {
      result.unpatched_modules.push_back(fs::path(m.path.view()).filename().string());
    }
  }
  for (const auto& name : shared.unmodelled_calls) {
    result.unmodelled_calls.emplace_back(name.view());
  }
}

}  // namespace

ReplayRunner::ReplayRunner(Settings settings)
    : settings_(std::move(settings)),
      shared_(SharedMapping::create(sizeof(SharedMemory))),
      stop_(&interrupted()) {
  std::string pattern = fs::temp_directory_path() / "rff-replay-XXXXXX";
  if (!shared_.valid() || ::mkdtemp(pattern.data()) == nullptr) {
    throw tool_failed(std::string("cannot make shared memory or a temporary folder: ") +
                      std::strerror(errno));
  }
  folder_ = pattern;
}

ReplayRunner::~ReplayRunner() {
  std::error_code ignored;
  fs::remove_all(folder_, ignored);
}

Run ReplayRunner::run(const Schedule& schedule) {
  if (stop_->load()) {
    throw Interrupted();
  }
  ++runs_;
  std::string schedule_path = folder_ + "/schedule.bin";
  std::string trace_path = folder_ + "/trace";
  if (int error = write_file(schedule_path, encode_schedule(schedule)); error != 0) {
    throw tool_failed("cannot write " + schedule_path + ": " + std::strerror(error));
  }
  ::unlink(trace_path.c_str());
  shared_.clear();
  auto* shared = shared_.as<SharedMemory>();
  shared->initialise();
  shared->cache_disabled.store(1);

  ChildProcess::Command command = launch_command(settings_.launcher, schedule.target);
  command.environment[kSharedPathVariable] = shared_.path();
  command.environment[kSchedulePathVariable] = schedule_path;
  command.environment[kTracePathVariable] = trace_path;
  if (!settings_.carrier.empty()) {
    command.environment[kCarrierVariable] = settings_.carrier;
  }
  if (settings_.everything) {
    command.environment[kTraceAllVariable] = "1";
  }
  ChildProcess child(command);
  if (!child.running()) {
    throw tool_failed("cannot start " + settings_.launcher + ": " + std::strerror(child.error()));
  }
  auto deadline =
      std::chrono::steady_clock::now() + std::chrono::duration<double>(settings_.timeout);
  bool cut_off = false;
  while (!child.ended() && !cut_off) {
    cut_off = std::chrono::steady_clock::now() > deadline || stop_->load();
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    if (settings_.tick) {
      settings_.tick();
    }
  }
  child.kill_group();
  if (stop_->load()) {
    throw Interrupted();
  }

  Run result;
  result.wait_status = child.status();
  std::string unreadable;
  result.trace = read_trace(read_file(trace_path).value_or(""), unreadable);
  if (!unreadable.empty()) {
    throw tool_failed("the trace of the run " + unreadable);
  }
  if (shared->run.state.load(std::memory_order_acquire) == RunState::kNone && !cut_off) {
    // What the loader has to say about that went where all output goes.
    std::string said = run_and_read(command).output;
    throw tool_failed("the runtime did not start in " + schedule.target.path +
                      (said.empty() ? "" : ": " + said.substr(0, said.find('\n'))));
  }
  collect(*shared, result);
  if (cut_off) {
    result.outcome = RunOutcome::kUnresponsive;
  }
  return result;
}

}  // namespace rff
