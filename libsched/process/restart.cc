#include "libsched/process/restart.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include <cstdlib>
#include <string_view>
#include <utility>

#include "libsched/process/inherited_state.h"
#include "libsched/support/check.h"
#include "libsched/support/instruction_traps.h"
#include "libsched/support/own_descriptors.h"
#include "libsched/support/real.h"
#include "schedule/driver_channel.h"
#include "schedule/from_start.h"
#include "schedule/shared_memory.h"

namespace rff {
namespace {

constexpr char kOpened[] = "/proc/self/fd/3";

template <typename T>
long address(T* pointer) {
  return reinterpret_cast<long>(pointer);
}

// Returns the program's path, or the file open as descriptor 3 if the file at that path is missing
// or different.
std::string own_file(const std::string& path) {
  long file = real::syscall6(SYS_openat, AT_FDCWD, address("/proc/self/exe"), O_RDONLY);
  struct stat own = {};
  struct stat there = {};
  bool same = real::syscall6(SYS_fstat, file, address(&own)) == 0 &&
              real::syscall6(SYS_stat, address(path.c_str()), address(&there)) == 0 &&
              own.st_dev == there.st_dev && own.st_ino == there.st_ino;
  return same ? path : kOpened;
}

bool is_own(std::string_view variable) {
  return variable.starts_with("RFF_") || variable.starts_with("__AFL_");
}

std::string value_of(std::string_view name, const std::vector<char*>& environment) {
  for (std::string_view variable : environment) {
    if (variable.starts_with(name)) {
      return std::string(variable.substr(name.size()));
    }
  }
  return "";
}

// Becomes the launcher, which runs without the runtime and executes `program` with `words`.
[[noreturn]] void launch(const std::string& program, const std::vector<char*>& words,
                         std::vector<char*> environment) {
  std::string file = "RFF_PROGRAM=" + program;
  std::string launcher = value_of("RFF_LAUNCHER=", environment);
  constexpr std::pair<const char*, own_descriptors::Use> kLeft[] = {
      {kTurnVariable, own_descriptors::kTurn},
      {driving::kChannelVariable, own_descriptors::kDriver},
      {driving::kOutputVariable, own_descriptors::kOutputCopy},
  };
  for (auto [variable, use] : kLeft) {
    if (std::string place = value_of(std::string(variable) + "=", environment); !place.empty()) {
      own_descriptors::leave_to_next_program(use, std::atoi(place.c_str()));
    }
  }
  std::erase_if(environment, [](std::string_view v) { return v.starts_with("LD_PRELOAD="); });
  environment.insert(environment.begin(), file.data());
  environment.push_back(nullptr);
  std::vector<char*> all = {launcher.data()};
  all.insert(all.end(), words.begin(), words.end());
  all.push_back(nullptr);
  instruction_traps::end();
  real::syscall6(SYS_execve, address(launcher.c_str()), address(all.data()),
                 address(environment.data()));
  panic("cannot restart the program");
}

std::vector<char*> list(char* const* words) {
  std::vector<char*> result;
  for (; words != nullptr && *words != nullptr; ++words) {
    result.push_back(*words);
  }
  return result;
}

}  // namespace

void restart_program(const std::string& program, const std::vector<char*>& arguments,
                     std::vector<char*> environment) {
  own_descriptors::put_back();
  for (int fd = 3; fd < own_descriptors::kFuzzersControl; ++fd) {
    real::syscall6(SYS_close, fd);
  }
  put_back_inherited_state();
  std::string from_start = std::string(kFromStartVariable) + "=1";
  std::erase_if(environment, [](std::string_view v) { return v.starts_with(kExecutedVariable); });
  environment.insert(environment.begin(), from_start.data());
  launch(own_file(program), arguments, std::move(environment));
}

void execute_program(const std::string& program, char* const words[], char* const variables[],
                     const std::vector<char*>& initial) {
  own_descriptors::put_back();
  std::string executed = std::string(kExecutedVariable) + "=1";
  std::vector<char*> environment = {executed.data()};
  for (char* v : initial) {
    if (is_own(v) && !std::string_view(v).starts_with(kExecutedVariable)) {
      environment.push_back(v);
    }
  }
  for (char* v : list(variables)) {
    if (!is_own(v)) {
      environment.push_back(v);
    }
  }
  std::vector<char*> arguments = list(words);
  std::string name = program;
  if (arguments.empty()) {
    arguments.push_back(name.data());
  }
  launch(program, arguments, std::move(environment));
}

}  // namespace rff
