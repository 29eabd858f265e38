#include "fuzzer/run/rerun.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstring>
#include <thread>

#include "fuzzer/run/launch.h"
#include "fuzzer/common/files.h"
#include "fuzzer/common/overflow.h"
#include "fuzzer/common/tool_error.h"

namespace rff {

Rerunner::Rerunner(Settings settings, const std::atomic<bool>& cancel)
    : settings_(std::move(settings)),
      cancel_(cancel),
      shared_(SharedMapping::create(sizeof(SharedMemory))) {
  if (!shared_.valid()) {
    throw tool_failed(std::string("cannot make shared memory: ") + std::strerror(errno));
  }
}

RerunResult Rerunner::run(const Schedule& schedule) {
  RerunResult result;
  std::string file = settings_.folder + "/rerun-" + std::to_string(::gettid()) + ".bin";
  if (int error = write_file(file, encode_schedule(schedule)); error != 0) {
    result.problem = "cannot write " + file + ": " + std::strerror(error);
    return result;
  }
  shared_.clear();
  auto* shared = shared_.as<SharedMemory>();
  shared->initialise();
  shared->cache_disabled.store(1);
  shared->schedule_timeout_ms = settings_.timeout_ms;

  ChildProcess::Command command = launch_command(settings_.launcher, schedule.target);
  command.environment[kSharedPathVariable] = shared_.path();
  command.environment[kSchedulePathVariable] = file;
  command.environment[kCarrierVariable] = settings_.carrier;
  ChildProcess child(command);
  if (!child.running()) {
    result.problem = "cannot start " + settings_.launcher + ": " + std::strerror(child.error());
    return result;
  }
  // The runtime cuts off long runs itself; this is for when it cannot.
  auto deadline = std::chrono::steady_clock::now() +
                  std::chrono::milliseconds(2 * settings_.timeout_ms + 10'000);
  while (!child.ended()) {
    if (cancel_.load()) {
      result.problem = "given up";
      child.kill_group();
      break;
    }
    if (std::chrono::steady_clock::now() > deadline) {
      result.problem = "the run did not end";
      child.kill_group();
      break;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  ::unlink(file.c_str());
  if (!result.problem.empty()) {
    return result;
  }
  const RunRecord& run = shared->run;
  if (run.state.load(std::memory_order_acquire) == RunState::kNone) {
    result.problem = "the runtime did not start in the program";
    return result;
  }
  result.outcome = run.outcome.load();
  result.run = {.kind = run.finding,
                .summary = std::string(run.message.view()),
                .place = run.place,
                .trace_hash = run.trace_hash,
                .decisions = complete_decisions(run)};
  return result;
}

std::string first_divergence(const Finding& expected, const RerunResult& seen) {
  if (!seen.problem.empty()) {
    return seen.problem;
  }
  if (seen.outcome == RunOutcome::kUnresponsive) {
    return "the second run did not end in time";
  }
  std::size_t common = std::min(expected.decisions.size(), seen.run.decisions.size());
  for (std::size_t i = 0; i < common; ++i) {
    const Decision& a = expected.decisions[i];
    const Decision& b = seen.run.decisions[i];
    if (a != b) {
      return "decision " + std::to_string(i + 1) + " of " +
             std::to_string(expected.decisions.size()) + ": first thread " +
             std::to_string(a.thread) + " ran, then thread " + std::to_string(b.thread) +
             (a.thread == b.thread ? " with another event" : "");
    }
  }
  auto kind = [](const Finding& f) {
    return f.kind == FindingKind::kNone ? std::string("no failure")
                                        : std::string(finding_name(f.kind));
  };
  if (expected.kind != seen.run.kind || expected.place != seen.run.place) {
    std::string why = seen.run.summary.empty() ? "" : " (" + seen.run.summary + ")";
    return "first " + kind(expected) + ", then " + kind(seen.run) +
           (expected.kind == seen.run.kind ? " elsewhere" : "") + why;
  }
  if (expected.decisions.size() != seen.run.decisions.size()) {
    return "first " + std::to_string(expected.decisions.size()) + " decisions, then " +
           std::to_string(seen.run.decisions.size());
  }
  if (expected.trace_hash != seen.run.trace_hash) {
    return "the same decisions, but other events or values";
  }
  return {};
}

}  // namespace rff
