// --gdb: shows the failure in the debugger, with all threads where they are when it happens. Also
// shows other points of a run.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "fuzzer/debug/debug_info.h"
#include "fuzzer/run/run.h"

namespace rff {

// Where gdb stops, and what it does there.
struct GdbStop {
  std::string function;                            // of the runtime
  std::map<std::string, std::string> environment;  // added to the program's
  std::vector<std::string> commands;
};
// Runs gdb on the schedule until the user quits it. `run` supplies the modules. Throws ToolError.
void run_gdb(const Schedule& schedule, const Run& run, DebugInfo& debug,
             const std::string& launcher, const GdbStop& stop,
             const std::vector<std::string>& gdb_arguments);
// Returns the command that prints the text: a backslash preserves blanks and quotes.
std::string gdb_echo(const std::string& text);

// Runs gdb on the failure until the user quits it. Returns the exit status. Throws ToolError.
int debug_failure(const Schedule& schedule, const Run& run, DebugInfo& debug,
                  const std::string& launcher, const std::vector<std::string>& gdb_arguments);

}  // namespace rff
