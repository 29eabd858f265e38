#include "fuzzer/run/runner.h"

#include <fcntl.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstring>
#include <optional>
#include <thread>
#include <utility>

#include "fuzzer/common/files.h"
#include "fuzzer/run/interrupts.h"
#include "fuzzer/run/launch.h"
#include "fuzzer/run/leftovers.h"

namespace rff {
namespace {

constexpr char kScheduleFile[] = "schedule.bin";
constexpr char kTraceFile[] = "trace";
constexpr char kOutputFile[] = "output";

// A descriptor that is closed with the object.
class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() {
    if (number_ >= 0) {
      ::close(number_);
    }
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return number_; }

 private:
  int number_;
};

int create(const std::string& path) {
  int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (fd < 0) {
    throw tool_failed("cannot write " + path + ": " + std::strerror(errno));
  }
  return fd;
}

// Returns the descriptor with which the run takes its turn at the program's files, above those that
// a program uses; -1 if there is none to be had, which the runtime can do without.
int open_turn(const std::string& program) {
  constexpr int kAbove = 200;
  Descriptor file(::open(program.c_str(), O_RDONLY | O_CLOEXEC));
  return file.get() < 0 ? -1 : ::fcntl(file.get(), F_DUPFD_CLOEXEC, kAbove);
}

std::shared_ptr<SharedMapping> fresh_memory() {
  auto mapping = std::make_shared<SharedMapping>(SharedMapping::create(sizeof(SharedMemory)));
  if (!mapping->valid()) {
    throw tool_failed(std::string("cannot make shared memory: ") + std::strerror(errno));
  }
  return mapping;
}

// Runs the loader again to get its error message, which went to the program's output.
[[noreturn]] void fail_to_start(const std::string& program, const SharedMemory& shared,
                                const ChildProcess::Command& command) {
  if (std::string_view why = shared.panic.view(); !why.empty()) {
    throw tool_failed("the program cannot be run: " + std::string(why));
  }
  std::string said = run_and_read(command).output;
  throw tool_failed("the runtime did not start in " + program +
                    (said.empty() ? "" : ": " + said.substr(0, said.find('\n'))));
}

}  // namespace

Runner::Runner(Settings settings)
    : settings_(std::move(settings)), shared_(fresh_memory()), stop_(&interrupted()) {}

Run Runner::run(const Schedule& schedule) {
  if (stop_->load()) {
    throw Interrupted();
  }
  ++runs_;
  prepare(schedule);
  ChildProcess::Command start = command(schedule);
  Descriptor turn(open_turn(schedule.target.path));  // held until all of the run has ended
  if (turn.get() >= 0) {
    start.inherit = {turn.get()};
    start.environment[kTurnVariable] = std::to_string(turn.get());
  }
  std::optional<Descriptor> output;
  if (settings_.keep_output) {
    output.emplace(create(folder_ / kOutputFile));
    start.output = output->get();
    start.keep_error_output = true;
  }
  Leftovers leftovers;
  ChildProcess child(start);
  const int process = child.pid();
  if (!child.running()) {
    throw tool_failed("cannot start " + settings_.launcher + ": " + std::strerror(child.error()));
  }
  bool killed = !wait_for(child);
  if (stop_->load()) {
    throw Interrupted();
  }
  auto* shared = shared_->as<SharedMemory>();
  if (shared->run.state.load(std::memory_order_acquire) == RunState::kNone && !killed) {
    fail_to_start(schedule.target.path, *shared, command(schedule));
  }
  if (killed && shared->runtime_started.load() != 0 &&
      shared->run.state.load(std::memory_order_acquire) == RunState::kNone) {
    char limit[32];
    std::snprintf(limit, sizeof limit, "%.3g", settings_.timeout);
    throw tool_failed(schedule.target.path + " has not made a thread after " + limit +
                      " s: it waits or loops before its first one");
  }
  Run run = collect_run(*shared);
  run.wait_status = child.status();
  run.process = process;
  run.killed = killed;
  if (killed) {
    run.outcome = RunOutcome::kUnresponsive;
  }
  if (settings_.tracing != Tracing::kNone) {
    std::string unreadable;
    run.trace = read_trace(read_file(folder_ / kTraceFile).value_or(""), unreadable);
    if (!unreadable.empty()) {
      throw tool_failed("the trace of the run " + unreadable);
    }
  }
  if (settings_.keep_output) {
    run.output = read_file(folder_ / kOutputFile).value_or("");
  }
  return run;
}

void Runner::prepare(const Schedule& schedule) {
  std::string path = folder_ / kScheduleFile;
  if (int error = write_file(path, encode_schedule(schedule)); error != 0) {
    throw tool_failed("cannot write " + path + ": " + std::strerror(error));
  }
  ::unlink((folder_ / kTraceFile).c_str());
  shared_->clear();
  auto* shared = shared_->as<SharedMemory>();
  shared->initialize();
  shared->cache_disabled.store(1);
  shared->schedule_timeout_ms = settings_.schedule_timeout_ms;
  shared->keeps_output = settings_.tee_output ? 1 : 0;
}

ChildProcess::Command Runner::command(const Schedule& schedule) const {
  ChildProcess::Command command =
      launch_command(settings_.launcher, schedule.target, schedule.input);
  command.environment[kSharedPathVariable] = shared_->path();
  command.environment[kSchedulePathVariable] = folder_ / kScheduleFile;
  if (!settings_.carrier.empty()) {
    command.environment[kCarrierVariable] = settings_.carrier;
  }
  if (settings_.tracing != Tracing::kNone) {
    command.environment[kTracePathVariable] = folder_ / kTraceFile;
  }
  if (callers_) {
    command.environment[kTraceCallersVariable] = "1";
  }
  if (settings_.tracing == Tracing::kEverything) {
    command.environment[kTraceAllVariable] = "1";
  }
  return command;
}

bool Runner::wait_for(ChildProcess& child) const {
  using Clock = std::chrono::steady_clock;
  auto deadline = Clock::now() + std::chrono::duration<double>(settings_.timeout);
  bool in_time = true;
  while (!child.ended() && in_time) {
    in_time = Clock::now() <= deadline && !stop_->load();
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    if (settings_.tick) {
      settings_.tick();
    }
  }
  child.kill_group();
  return in_time;
}

std::shared_ptr<SharedMemory> Runner::take_memory() {
  std::shared_ptr<SharedMapping> mapping = std::exchange(shared_, fresh_memory());
  return {mapping, mapping->as<SharedMemory>()};
}

}  // namespace rff
