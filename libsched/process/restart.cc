#include "libsched/process/restart.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include <string_view>

#include "libsched/process/inherited_state.h"
#include "libsched/support/check.h"
#include "libsched/support/own_descriptors.h"
#include "libsched/support/real.h"
#include "schedule/from_start.h"

namespace rff {
namespace {

constexpr char kOpened[] = "/proc/self/fd/3";

template <typename T>
long address(T* pointer) {
  return reinterpret_cast<long>(pointer);
}

// Its path, unless the file there is another one or none: then what is open as descriptor 3.
std::string own_file(const std::string& path) {
  long file = real::syscall6(SYS_openat, AT_FDCWD, address("/proc/self/exe"), O_RDONLY);
  struct stat own = {};
  struct stat there = {};
  bool same = real::syscall6(SYS_fstat, file, address(&own)) == 0 &&
              real::syscall6(SYS_stat, address(path.c_str()), address(&there)) == 0 &&
              own.st_dev == there.st_dev && own.st_ino == there.st_ino;
  return same ? path : kOpened;
}

}  // namespace

void restart_program(const std::string& program, char** arguments, std::vector<char*> environment) {
  own_descriptors::put_back();
  for (int fd = 3; fd < own_descriptors::kFuzzersControl; ++fd) {
    real::syscall6(SYS_close, fd);
  }
  put_back_inherited_state();
  std::string from_start = std::string(kFromStartVariable) + "=1";
  std::string file = "RFF_PROGRAM=" + own_file(program);
  std::string launcher;
  for (const char* variable : environment) {
    constexpr std::string_view kLauncher = "RFF_LAUNCHER=";
    std::string_view text = variable;
    launcher = text.starts_with(kLauncher) ? text.substr(kLauncher.size()) : launcher;
  }
  // The launcher runs without the runtime.
  std::erase_if(environment, [](std::string_view v) { return v.starts_with("LD_PRELOAD="); });
  environment.insert(environment.begin(), {from_start.data(), file.data()});
  environment.push_back(nullptr);
  std::vector<char*> words = {launcher.data()};
  for (char** word = arguments; *word != nullptr; ++word) {
    words.push_back(*word);
  }
  words.push_back(nullptr);
  real::syscall6(SYS_execve, address(launcher.c_str()), address(words.data()),
                 address(environment.data()));
  panic("cannot restart the program");
}

}  // namespace rff
