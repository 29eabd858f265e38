// rff-launch PROG [ARGS…]: becomes the program under the runtime, in surroundings that are the same
// every time, with the standard input and the library path that RFF_INPUT and RFF_LIBRARY_PATH
// name.
//
// AFL++ looks for the string "__AFL_SHM_ID" in the program it is given, to know that it speaks its
// protocol.
#include <fcntl.h>
#include <signal.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include "schedule/shared_memory.h"

extern char** environ;

namespace {

constexpr char kAflMarker[] = "__AFL_SHM_ID";
constexpr std::size_t kBlockBytes =
    64 << 10;  // size of all strings on the initial stack, filled up with RFF_PAD
constexpr std::size_t kVariables = 512;  // and their number, filled up with RFF_E0=, RFF_E1=, …

// Variables of the shell and of the fuzzer that would make two runs differ.
bool volatile_variable(const std::string& v) {
  for (const char* name : {"_=", "SHLVL=", "OLDPWD=", "PWD=", "AFL_", "QASAN_",
                           "RFF_PAD=", "LD_PRELOAD=", "COLUMNS=", "LINES="}) {
    if (v.starts_with(name)) {
      return true;
    }
  }
  return false;
}

// afl-fuzz and shells leave some signals ignored, and limits.
void reset_signals_and_limits() {
  for (int number = 1; number < NSIG; ++number) {
    signal(number, SIG_DFL);
  }
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  rlimit no_core = {0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
}

std::string runtime_path() {
  namespace fs = std::filesystem;
  std::error_code error;
  fs::path self = fs::read_symlink("/proc/self/exe", error);
  for (const char* place : {"../lib/libsched.so", "libsched.so"}) {
    fs::path candidate = (self.parent_path() / place).lexically_normal();
    if (fs::exists(candidate, error)) {
      return candidate;
    }
  }
  return "";
}

// Whatever the caller left open is not the program's; 198 and 199 belong to the fork server.
void close_inherited_files() {
  close_range(3, 197, 0);
  close_range(200, ~0U, 0);
}

bool redirect_input() {
  const char* input = std::getenv(rff::kInputVariable);
  if (input == nullptr) {
    return true;
  }
  int fd = open(input, O_RDONLY);
  if (fd < 0 || dup2(fd, 0) != 0) {
    std::fprintf(stderr, "rff-launch: cannot open %s: %s\n", input, std::strerror(errno));
    return false;
  }
  if (fd > 0) {
    close(fd);
  }
  unsetenv(rff::kInputVariable);
  return true;
}

void set_library_path() {
  if (const char* libraries = std::getenv(rff::kLibraryPathVariable)) {
    setenv("LD_LIBRARY_PATH", libraries, 1);
    unsetenv(rff::kLibraryPathVariable);
  }
}

void fix_memory_layout() {
  int old = personality(0xffffffff);
  if (old == -1 || personality(static_cast<unsigned long>(old) | ADDR_NO_RANDOMIZE) == -1) {
    std::fprintf(stderr, "rff-launch: warning: cannot switch address randomisation off here\n");
  }
  // A run lives for a moment: filling two megabytes with zeros for the first byte of a stack would
  // cost more than the rest of it.
  prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0);
}

// The same number of variables for every run, all but RFF_PAD.
std::vector<std::string> stable_variables(const std::string& library) {
  std::vector<std::string> variables;
  for (char** v = environ; *v != nullptr; ++v) {
    if (!volatile_variable(*v)) {
      variables.emplace_back(*v);
    }
  }
  std::sort(variables.begin(), variables.end());
  variables.push_back("LD_PRELOAD=" + library);
  variables.push_back("RFF_CONTROL=1");
  // Each also has a pointer on the stack. The runtime takes the fillings out again.
  while (variables.size() + 1 < kVariables) {
    variables.push_back("RFF_E" + std::to_string(variables.size()) + "=");
  }
  return variables;
}

// The stack begins below these strings and the program's path: RFF_PAD keeps their total constant.
std::string padding(int argc, char** argv, const std::vector<std::string>& variables) {
  std::size_t bytes = std::strlen(argv[1]) + 1;
  for (int i = 1; i < argc; ++i) {
    bytes += std::strlen(argv[i]) + 1;
  }
  for (const std::string& v : variables) {
    bytes += v.size() + 1;
  }
  std::size_t pad = bytes + 16 < kBlockBytes ? kBlockBytes - bytes - 9 : 0;
  return "RFF_PAD=" + std::string(pad, '-');
}

// Returns only if the program cannot be started.
void become_program(int argc, char** argv, const std::string& library) {
  std::vector<std::string> variables = stable_variables(library);
  variables.push_back(padding(argc, argv, variables));
  std::vector<char*> environment;
  for (std::string& v : variables) {
    environment.push_back(v.data());
  }
  environment.push_back(nullptr);
  execve(argv[1], argv + 1, environment.data());
  std::fprintf(stderr, "rff-launch: cannot start %s: %s\n", argv[1], std::strerror(errno));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2 || std::strcmp(argv[1], "--help") == 0) {
    std::fprintf(stderr,
                 "usage: rff-launch PROG [ARGS...]   (used by rff-fuzz and rff-replay; %s)\n",
                 kAflMarker);
    return 2;
  }
  std::string library = runtime_path();
  if (library.empty()) {
    std::fprintf(stderr, "rff-launch: libsched.so is not beside this program: reinstall RFF\n");
    return 2;
  }
  if (access(argv[1], X_OK) != 0) {
    std::fprintf(stderr, "rff-launch: cannot execute %s: %s\n", argv[1], std::strerror(errno));
    return 2;
  }
  close_inherited_files();
  if (!redirect_input()) {
    return 2;
  }
  set_library_path();
  reset_signals_and_limits();
  fix_memory_layout();
  become_program(argc, argv, library);
  return 2;
}
