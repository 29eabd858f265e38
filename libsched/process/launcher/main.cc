// rff-launch PROG [ARGS…]: becomes the program under the runtime, in an environment that is always
// the same, with the standard input and the library path that RFF_INPUT and RFF_LIBRARY_PATH name.
// librff_place.so then places the program at its addresses.
//
// AFL++ looks for the string "__AFL_SHM_ID" in the program it is given, to know that it speaks its
// protocol.
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include "libsched/process/launcher/emulator.h"
#include "libsched/process/launcher/placement.h"
#include "schedule/driver_channel.h"
#include "schedule/from_start.h"
#include "schedule/open_files.h"
#include "schedule/shared_memory.h"
#include "schedule/standard_descriptors.h"

extern char** environ;

using namespace rff;

namespace {

constexpr char kAflMarker[] = "__AFL_SHM_ID";
constexpr char kLauncher[] = "RFF_LAUNCHER=";  // for a runtime that restarts the program
constexpr char kProgram[] = "RFF_PROGRAM";     // the file to execute, if not the first argument

// Variables of the shell and of the fuzzer that would make two runs differ, and those by which a
// Rust program that panics reads all its debug information, in millions of accesses. Reports have
// the stacks.
bool volatile_variable(const std::string& v) {
  for (const char* name :
       {"_=", "SHLVL=", "OLDPWD=", "PWD=", "AFL_", "QASAN_", "LD_PRELOAD=", "COLUMNS=", "LINES=",
        kLauncher, "RUST_BACKTRACE=", "RUST_LIB_BACKTRACE=", "RFF_PROGRAM=", placement::kPlaced,
        "RFF_CONTROL="}) {
    if (v.starts_with(name)) {
      return true;
    }
  }
  return false;
}

// afl-fuzz and shells leave some signals ignored, and limits changed.
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

// Returns the path of a part of RFF that is next to this program; empty if there is none.
std::string part_path(const std::string& name) {
  namespace fs = std::filesystem;
  std::error_code error;
  fs::path self = fs::read_symlink("/proc/self/exe", error);
  for (const char* folder : {"../lib/rff", "../lib", "."}) {
    fs::path candidate = (self.parent_path() / folder / name).lexically_normal();
    if (fs::exists(candidate, error)) {
      return candidate;
    }
  }
  std::fprintf(stderr, "rff-launch: %s is not beside this program: reinstall RFF\n", name.c_str());
  return "";
}

// Closes what the caller left open; 198 and 199 belong to the fork server.
void close_inherited_files(unsigned first) {
  close_range(first, 197, 0);
  std::vector<unsigned> kept;
  for (const char* variable :
       {kTurnVariable, driving::kChannelVariable, driving::kOutputVariable}) {
    if (const char* given = std::getenv(variable)) {
      kept.push_back(static_cast<unsigned>(std::atoi(given)));
    }
  }
  std::sort(kept.begin(), kept.end());
  unsigned from = 200;
  for (unsigned number : kept) {
    if (number > from) {
      close_range(from, number - 1, 0);
    }
    from = std::max(from, number + 1);
  }
  close_range(from, ~0U, 0);
}

bool redirect_input() {
  const char* input = std::getenv(kInputVariable);
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
  unsetenv(kInputVariable);
  return true;
}

// Restores the limit of open files: afl-fuzz needs more than the program may have. Descriptors that
// are open stay open.
void restore_open_files() {
  unsigned long soft = 0;
  unsigned long hard = 0;
  const char* limits = std::getenv(kOpenFilesVariable);
  if (limits != nullptr && std::sscanf(limits, "%lu %lu", &soft, &hard) == 2) {
    rlimit limit = {soft, hard};
    setrlimit(RLIMIT_NOFILE, &limit);
    unsetenv(kOpenFilesVariable);
  }
}

void set_library_path() {
  if (const char* libraries = std::getenv(kLibraryPathVariable)) {
    setenv("LD_LIBRARY_PATH", libraries, 1);
    unsetenv(kLibraryPathVariable);
  }
}

// Ends with one line if this program cannot prepare the target: for the user and for the fuzzer.
void refuse(const std::string& cause) {
  std::string line = "its addresses cannot be fixed: " + cause;
  std::fprintf(stderr, "rff-launch: the program cannot be run: %s\n", line.c_str());
  const char* path = std::getenv(kSharedPathVariable);
  int shared = path == nullptr ? -1 : open(path, O_RDWR);
  void* memory = mmap(nullptr, sizeof(SharedMemory), PROT_READ | PROT_WRITE, MAP_SHARED, shared, 0);
  if (memory != MAP_FAILED) {
    static_cast<SharedMemory*>(memory)->panic.set(line);
  }
}

// Makes the address space available for librff_place.so. Returns false, with one line, if it cannot
// be.
bool prepare_address_space(const char* program, std::string* stack_limit) {
  // Clear settings that change where the kernel maps memory.
  int old = personality(0xffffffff);
  constexpr int kLayout = ADDR_COMPAT_LAYOUT | ADDR_LIMIT_3GB;
  if (old != -1 && (old & kLayout) != 0) {
    personality(static_cast<unsigned long>(old & ~kLayout));
  }
  // A run is short: zeroing two megabytes for the first byte of a stack would cost more than the
  // rest of it.
  prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0);
  rlimit limit = {};
  getrlimit(RLIMIT_STACK, &limit);
  if (limit.rlim_cur > placement::kMostStackAtStart) {
    *stack_limit = placement::kStackLimit + std::to_string(limit.rlim_cur);
    limit.rlim_cur = placement::kMostStackAtStart;
    setrlimit(RLIMIT_STACK, &limit);
  }
  getrlimit(RLIMIT_AS, &limit);
  rlimit unlimited = {RLIM_INFINITY, RLIM_INFINITY};
  if (limit.rlim_cur != RLIM_INFINITY && setrlimit(RLIMIT_AS, &unlimited) != 0) {
    refuse("the limit of address space is " + std::to_string(limit.rlim_max >> 10) +
           " kB; run it with ulimit -v unlimited");
    return false;
  }
  struct stat file = {};
  bool lent =
      stat(program, &file) == 0 && (((file.st_mode & S_ISUID) != 0 && file.st_uid != geteuid()) ||
                                    ((file.st_mode & S_ISGID) != 0 && file.st_gid != getegid()));
  if (lent || getxattr(program, "security.capability", nullptr, 0) > 0) {
    refuse("it runs with the rights of another user; run a copy of it");
    return false;
  }
  return true;
}

bool is_own(const std::string& variable) {
  return variable.starts_with("RFF_") || variable.starts_with("__AFL_");
}

// The program's own variables come first, so that their addresses do not depend on the launcher's.
std::vector<std::string> stable_variables(const std::string& library, bool starts_twice) {
  std::vector<std::string> variables;
  std::vector<std::string> own;
  for (char** v = environ; *v != nullptr; ++v) {
    if (!volatile_variable(*v)) {
      // The loader must see these at the second start only.
      bool delayed = starts_twice && (std::strncmp(*v, "LD_AUDIT=", 9) == 0 ||
                                      std::strncmp(*v, "GLIBC_TUNABLES=", 15) == 0);
      (is_own(*v) ? own : variables).push_back((delayed ? placement::kKept : "") + std::string(*v));
    }
  }
  std::sort(variables.begin(), variables.end());
  variables.push_back("LD_PRELOAD=" + library);
  variables.insert(variables.end(), own.begin(), own.end());
  variables.push_back("RFF_CONTROL=1");
  variables.push_back(kLauncher + std::filesystem::read_symlink("/proc/self/exe").string());
  return variables;
}

// Returns only if the program cannot be started.
void become_program(const char* program, char** argv, std::vector<std::string> variables) {
  std::vector<char*> environment;
  environment.reserve(variables.size() + 1);
  for (std::string& v : variables) {
    environment.push_back(v.data());
  }
  environment.push_back(nullptr);
  execve(program, argv, environment.data());
  std::fprintf(stderr, "rff-launch: cannot start %s: %s\n", program, std::strerror(errno));
}

// The loader must not ask the kernel to write to memory that goes away; see place.cc.
std::vector<std::string> for_first_start(const std::string& place, const std::string& stack_limit) {
  return {placement::kFirstStart + place, "LD_AUDIT=" + place,
          "GLIBC_TUNABLES=glibc.pthread.rseq=0", stack_limit};
}

// A debugger counts starting programs by the signals they receive. Delays the last one until the
// program is in its place.
void delay_trap() {
  sigset_t trap;
  sigemptyset(&trap);
  sigaddset(&trap, SIGTRAP);
  sigprocmask(SIG_BLOCK, &trap, nullptr);
}

}  // namespace

int main(int argc, char** argv) {
  if (std::getenv(kExecutedVariable) == nullptr) {
    open_standard_descriptors();
  }
  if (argc < 2 || std::strcmp(argv[1], "--help") == 0) {
    std::fprintf(
        stderr,
        "usage: rff-launch PROG [ARGS...]   (used by rff-fuzz, rff-replay and rff-drive; %s)\n",
        kAflMarker);
    return 2;
  }
  std::string library = part_path("libsched.so");
  std::string place = part_path("librff_place.so");
  if (library.empty() || place.empty()) {
    return 2;
  }
  // A program that is restarted may have removed its file, which is then open as descriptor 3.
  const char* given = std::getenv(kProgram);
  const char* program = given == nullptr ? argv[1] : given;
  if (access(program, X_OK) != 0) {
    std::fprintf(stderr, "rff-launch: cannot execute %s: %s\n", program, std::strerror(errno));
    return 2;
  }
  if (std::getenv(kExecutedVariable) == nullptr) {
    close_inherited_files(given == nullptr ? 3 : 4);
    fcntl(3, F_SETFD, FD_CLOEXEC);
  }
  if (!redirect_input()) {
    return 2;
  }
  restore_open_files();
  set_library_path();
  reset_signals_and_limits();
  std::string stack_limit;
  if (!prepare_address_space(program, &stack_limit)) {
    return 3;
  }
  if (std::getenv(kDebuggedVariable) != nullptr) {
    delay_trap();
  }
  bool placed = placement::emulated();
  std::vector<std::string> variables = stable_variables(library, !placed);
  if (placed) {
    variables.emplace_back(placement::kPlaced);
  } else {
    for (const std::string& v : for_first_start(place, stack_limit)) {
      if (!v.empty()) {
        variables.push_back(v);
      }
    }
  }
  become_program(program, argv + 1, std::move(variables));
  return 2;
}
