#include "fuzzer/replay/gdb.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "fuzzer/common/files.h"
#include "fuzzer/common/tool_error.h"
#include "fuzzer/replay/explanation.h"

namespace rff {
namespace {

namespace fs = std::filesystem;

// For gdb's echo: a backslash keeps blanks and quotes as they are.
std::string echo(const std::string& text) {
  std::string result = "echo ";
  for (char c : text) {
    result += c == '\n'                           ? std::string("\\n")
              : c == '\\' || c == '"' || c == ' ' ? std::string("\\") + c
                                                  : std::string(1, c);
  }
  return result + "\\n";
}

// The innermost frame of the failing thread that belongs to the program's own source.
const Place* failing_frame(const Explanation& x) {
  for (const ThreadReport& t : x.threads) {
    for (const Place& p : t.frames) {
      if (t.failed_here && !p.file.empty() && !p.function.empty()) {
        return &p;
      }
    }
  }
  return nullptr;
}

}  // namespace

std::vector<std::string> gdb_commands(const Run& run, DebugInfo& debug) {
  Explanation x = explain(run, debug);
  std::vector<std::string> commands = {
      "set pagination off",
      "set confirm off",
      "set breakpoint pending on",
      "set startup-with-shell off",
      "set print thread-events off",
      // The runtime looks at memory that may not be there, and handles the program's fatal signals
      // itself.
      "handle SIGSEGV SIGBUS SIGFPE SIGILL SIGABRT SIGSYS nostop noprint pass",
      "break rff_finding_reached",
      "run",
  };
  commands.push_back("thread apply 1 -s thread name main");
  commands.push_back(echo("\n" + x.headline));
  for (const std::string& cause : x.causes) {
    commands.push_back(echo("  " + cause + "."));
  }
  if (const Place* p = failing_frame(x)) {
    commands.push_back("frame function " + p->function);
    commands.push_back(echo("The failing line is " + p->where() + ":"));
    commands.push_back("list " + p->file + ":" + std::to_string(p->line) + "," +
                       std::to_string(p->line));
  }
  commands.push_back("info threads");
  return commands;
}

int debug_failure(const Schedule& schedule, const Run& run, DebugInfo& debug,
                  const std::string& launcher, const std::vector<std::string>& gdb_arguments) {
  if (!run.failed()) {
    throw tool_failed("there is nothing to debug: the program does not fail under this schedule");
  }
  SharedMapping shared = SharedMapping::create(sizeof(SharedMemory));
  std::string schedule_path =
      fs::temp_directory_path() / ("rff-gdb-" + std::to_string(::getpid()) + ".bin");
  if (!shared.valid() || write_file(schedule_path, encode_schedule(schedule)) != 0) {
    throw tool_failed("cannot make shared memory or a temporary file");
  }
  shared.as<SharedMemory>()->initialise();
  std::vector<std::string> words = {"gdb", "-q"};
  for (const std::string& command : gdb_commands(run, debug)) {
    words.insert(words.end(), {"-ex", command});
  }
  words.insert(words.end(), gdb_arguments.begin(), gdb_arguments.end());
  words.insert(words.end(), {"--args", launcher, schedule.target.path});
  words.insert(words.end(), schedule.target.arguments.begin(), schedule.target.arguments.end());
  std::vector<char*> arguments;
  for (std::string& w : words) {
    arguments.push_back(w.data());
  }
  arguments.push_back(nullptr);

  pid_t child = ::fork();
  if (child == 0) {
    ::setenv(kSharedPathVariable, shared.path().c_str(), 1);
    ::setenv(kSchedulePathVariable, schedule_path.c_str(), 1);
    ::setenv(kCarrierVariable, "thread", 1);  // a fiber is no thread to a debugger
    ::setenv(kDebuggedVariable, "1", 1);
    ::unsetenv("DEBUGINFOD_URLS");
    ::execvp("gdb", arguments.data());
    ::_exit(127);
  }
  ::signal(SIGINT, SIG_IGN);  // Ctrl-C is for gdb
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  ::unlink(schedule_path.c_str());
  if (WIFEXITED(status) && WEXITSTATUS(status) == 127) {
    throw bad_usage("gdb is not on PATH: install it (Debian: apt install gdb)");
  }
  return kBugFound;
}

}  // namespace rff
