#include "fuzzer/drive/debugger.h"

#include <unistd.h>

#include <cstdio>

#include "fuzzer/common/tool_error.h"
#include "fuzzer/replay/gdb.h"

namespace rff {
namespace {

// The modules of the run, as a trace would have them.
Run modules_of(const SharedMemory& shared) {
  Run run;
  run.from_start = shared.fork_point == 1;
  for (const ModuleRecord& m : shared.modules) {
    bool patched = (m.flags & kModulePatched) != 0;
    run.trace.modules.push_back(
        {.info = {.hash = m.hash, .patched = patched ? 1u : 0u, .bias = m.base, .end = m.end},
         .path = std::string(m.path.view())});
  }
  return run;
}

std::vector<std::string> commands_at(Session& session, Describer& describer) {
  std::vector<std::string> commands = {"thread apply 1 -s thread name main",
                                       gdb_echo("\nStep " + std::to_string(session.step()) +
                                                " of the drive; quit leads back to it.")};
  const driving::PointThread* t = session.find(session.last_thread());
  Place at = t != nullptr ? describer.place(*t) : Place();
  if (!at.file.empty() && !at.function.empty()) {
    commands.push_back("rff-frame " + std::to_string(at.line) + " " + at.file_name() + " " +
                       at.function);
  }
  commands.push_back("info threads");
  return commands;
}

}  // namespace

std::string start_debugger(Session& session, Describer& describer, const std::string& launcher) {
  bool failed = session.ended() && session.ended()->failed();
  if (session.ended() && !failed) {
    return "the run has ended: b goes one step back";
  }
  GdbStop stop{.function = failed ? "rff_finding_reached" : "rff_point_reached",
               .environment = {},
               .commands = commands_at(session, describer)};
  if (!failed) {
    stop.environment[driving::kStopVariable] = std::to_string(session.step());
  }
  std::vector<std::string> arguments;
  if (::isatty(0) != 1) {
    arguments = {"-batch", "-ex", "thread apply all backtrace"};
  }
  Run modules = modules_of(session.live().shared());
  Schedule schedule = session.saved();
  schedule.target.path = session.prepared().base.target.path;
  std::fflush(stdout);
  session.suspend();  // two runs at a time would wait for each other's files
  std::string remark;
  try {
    run_gdb(schedule, modules, describer.debug(), launcher, stop, arguments);
  } catch (const ToolError& error) {
    remark = error.what();
  }
  session.resume();
  return remark;
}

}  // namespace rff
