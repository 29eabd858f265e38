#include "fuzzer/replay/gdb.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "fuzzer/common/files.h"
#include "fuzzer/common/tool_error.h"
#include "fuzzer/debug/copy_lines.h"
#include "fuzzer/explain/explanation.h"
#include "fuzzer/replay/gdb_stepping.h"
#include "fuzzer/run/launch.h"
#include "schedule/from_start.h"

namespace rff {
namespace {

namespace fs = std::filesystem;

}  // namespace

std::string gdb_echo(const std::string& text) {
  std::string result = "echo ";
  for (char c : text) {
    result += c == '\n'                           ? std::string("\\n")
              : c == '\\' || c == '"' || c == ' ' ? std::string("\\") + c
                                                  : std::string(1, c);
  }
  return result + "\\n";
}

namespace {

// Returns the innermost frame in the program's own source, of the thread in which gdb stops.
const Place* failing_frame(const Explanation& x, const Run& run) {
  for (const ThreadReport& t : x.threads) {
    for (const Place& p : t.frames) {
      if (t.index == run.trace.outcome->thread && !p.file.empty() && !p.function.empty() &&
          !p.in_library()) {
        return &p;
      }
    }
  }
  return nullptr;
}

// The files that gdb needs while it runs.
class Files {
 public:
  Files() {
    std::string pattern = fs::temp_directory_path() / "rff-gdb-XXXXXX";
    if (::mkdtemp(pattern.data()) == nullptr) {
      throw tool_failed(std::string("cannot make a temporary folder: ") + std::strerror(errno));
    }
    folder_ = pattern;
  }
  ~Files() {
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
  }
  Files(const Files&) = delete;

  std::string add(const std::string& name, const std::string& bytes) {
    std::string path = folder_ / name;
    if (int error = write_file(path, bytes); error != 0) {
      throw tool_failed("cannot write " + path + ": " + std::strerror(error));
    }
    return path;
  }

 private:
  fs::path folder_;
};

// Returns commands that load the source lines of patched code into gdb, and the stepping commands.
std::vector<std::string> load_lines(const Run& run, DebugInfo& debug, Files& files) {
  std::vector<std::string> commands;
  std::string functions;
  for (const Trace::Module& m : run.trace.modules) {
    if (DebugModule* module = debug.module(m.info.hash)) {
      CopyLines lines = copy_lines(*module, m.info.bias);
      if (!lines.symbols.empty()) {
        std::string file = files.add(module->name() + ".lines", lines.symbols);
        commands.push_back("pipe add-symbol-file '" + file + "' -o " + std::to_string(m.info.bias) +
                           " | cat >/dev/null");
        functions += lines.functions;
      }
    }
  }
  commands.push_back("source " +
                     files.add("stepping.py", "FUNCTIONS = [\n" + functions + "]\n" + kStepping));
  return commands;
}

std::vector<std::string> prepare(const std::string& launcher) {
  return {
      "set pagination off",
      "set confirm off",
      "set breakpoint pending on",
      // The wrapper makes "run" start the program under the same schedule, any number of times.
      "set exec-wrapper '" + launcher + "'",
      "set print thread-events off",
      // The runtime probes memory that may be unmapped, and handles the program's fatal signals
      // itself.
      "handle SIGSEGV SIGBUS SIGFPE SIGILL SIGABRT SIGSYS nostop noprint pass",
  };
}

std::vector<std::string> show(const Explanation& x, const Run& run) {
  std::vector<std::string> commands = {"thread apply 1 -s thread name main",
                                       gdb_echo("\n" + x.headline)};
  for (const std::string& cause : x.causes) {
    commands.push_back(gdb_echo("  " + cause + "."));
  }
  for (const ThreadReport& t : x.threads) {
    commands.push_back(gdb_echo("Thread " + t.name + ": " + t.state + "."));
  }
  if (const Place* p = failing_frame(x, run)) {
    commands.push_back("rff-frame " + std::to_string(p->line) + " " + p->file_name() + " " +
                       p->function);
    commands.push_back(gdb_echo("The failing line is " + p->where() + "."));
    commands.push_back(gdb_echo("To see how it comes about: break " + p->where() +
                                ", run, next, step: the schedule is the same every time."));
  }
  commands.push_back("info threads");
  return commands;
}

// Runs gdb with these words until the user quits it.
void execute_gdb(std::vector<std::string> words,
                 const std::map<std::string, std::string>& environment) {
  std::vector<char*> arguments;
  for (std::string& w : words) {
    arguments.push_back(w.data());
  }
  arguments.push_back(nullptr);
  pid_t child = ::fork();
  if (child == 0) {
    for (const auto& [name, value] : environment) {
      ::setenv(name.c_str(), value.c_str(), 1);
    }
    ::unsetenv("DEBUGINFOD_URLS");
    ::execvp("gdb", arguments.data());
    ::_exit(127);
  }
  struct sigaction ignored = {};
  struct sigaction before = {};
  ignored.sa_handler = SIG_IGN;
  ::sigaction(SIGINT, &ignored, &before);  // Ctrl-C is for gdb
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  ::sigaction(SIGINT, &before, nullptr);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 127) {
    throw bad_usage("gdb is not on PATH: install it (Debian: apt install gdb)");
  }
}

}  // namespace

void run_gdb(const Schedule& schedule, const Run& run, DebugInfo& debug,
             const std::string& launcher, const GdbStop& stop,
             const std::vector<std::string>& gdb_arguments) {
  SharedMapping shared = SharedMapping::create(sizeof(SharedMemory));
  if (!shared.valid()) {
    throw tool_failed(std::string("cannot make shared memory: ") + std::strerror(errno));
  }
  shared.as<SharedMemory>()->initialize();
  Files files;
  ChildProcess::Command target = launch_command(launcher, schedule.target, schedule.input);
  target.environment[kSharedPathVariable] = shared.path();
  target.environment[kSchedulePathVariable] = files.add("schedule.bin", encode_schedule(schedule));
  target.environment[kCarrierVariable] = "thread";  // a debugger does not see a fiber as a thread
  target.environment[kDebuggedVariable] = "1";
  target.environment.insert(stop.environment.begin(), stop.environment.end());
  if (run.from_start) {
    // Set from the beginning: gdb would not see the addresses of a program that is restarted.
    target.environment[kFromStartVariable] = "1";
  }
  std::vector<std::string> words = {"gdb", "-q"};
  for (const std::vector<std::string>& commands :
       {prepare(launcher), load_lines(run, debug, files),
        std::vector<std::string>{"break " + stop.function, "run"}, stop.commands}) {
    for (const std::string& command : commands) {
      words.insert(words.end(), {"-ex", command});
    }
  }
  words.insert(words.end(), gdb_arguments.begin(), gdb_arguments.end());
  words.push_back("--args");
  words.insert(words.end(), target.arguments.begin() + 1, target.arguments.end());
  execute_gdb(std::move(words), target.environment);
}

int debug_failure(const Schedule& schedule, const Run& run, DebugInfo& debug,
                  const std::string& launcher, const std::vector<std::string>& gdb_arguments) {
  if (!run.failed()) {
    throw tool_failed("there is nothing to debug: the program does not fail under this schedule");
  }
  run_gdb(schedule, run, debug, launcher,
          {.function = "rff_finding_reached",
           .environment = {},
           .commands = show(explain(run, debug), run)},
          gdb_arguments);
  return kBugFound;
}

}  // namespace rff
