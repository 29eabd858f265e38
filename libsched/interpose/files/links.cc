// Functions that follow symbolic links. /proc/self is a link to the number of the process.
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

#include "libsched/interpose/asked_outside.h"
#include "libsched/interpose/files/kernel_path.h"
#include "libsched/interpose/files/machine_files.h"

namespace rff {
namespace {

// Returns what the link shows; empty if the kernel is to be asked.
std::string own_link(const char* path) {
  if (!controlled() || path == nullptr || std::strncmp(path, "/proc/", 6) != 0) {
    return "";
  }
  std::string own = std::to_string(identity::kProcess);
  if (std::strcmp(path, "/proc/self") == 0) {
    return own;
  }
  auto thread = runtime->run.execution.current().index;
  return std::strcmp(path, "/proc/thread-self") == 0
             ? own + "/task/" + std::to_string(identity::kProcess + static_cast<pid_t>(thread))
             : "";
}

ssize_t give(const std::string& link, char* to, std::size_t room) {
  return static_cast<ssize_t>(link.copy(to, room));  // without a terminating zero, as the kernel
}

// Replaces the kernel's number of the process in a path that it has resolved.
std::string seen_path(const char* resolved) {
  std::string kernels = "/proc/" + std::to_string(real::syscall6(SYS_getpid));
  std::size_t n = kernels.size();
  bool own =
      std::strncmp(resolved, kernels.c_str(), n) == 0 && (resolved[n] == 0 || resolved[n] == '/');
  return own ? "/proc/" + std::to_string(identity::kProcess) + (resolved + n) : resolved;
}

}  // namespace
}  // namespace rff

using namespace rff;

RFF_EXPORT ssize_t readlink(const char* path, char* to, std::size_t n) noexcept {
  if (std::string link = own_link(path); !link.empty()) {
    return give(link, to, n);
  }
  asked_outside("readlink", path);
  return RFF_REAL(readlink)(KernelPath(path).get(), to, n);
}

RFF_EXPORT ssize_t readlinkat(int folder, const char* path, char* to, std::size_t n) noexcept {
  if (std::string link = own_link(path); !link.empty()) {
    return give(link, to, n);
  }
  asked_outside("readlink", path);
  return RFF_REAL(readlinkat)(folder, KernelPath(path).get(), to, n);
}

RFF_EXPORT char* realpath(const char* path, char* resolved) noexcept {
  if (!controlled()) {
    return RFF_REAL(realpath)(path, resolved);
  }
  char room[PATH_MAX];
  if (RFF_REAL(realpath)(KernelPath(path).get(), room) == nullptr) {
    return nullptr;
  }
  std::string seen = seen_path(room);
  if (resolved == nullptr) {
    return strdup(seen.c_str());
  }
  std::memcpy(resolved, seen.c_str(), seen.size() + 1);
  return resolved;
}

RFF_EXPORT char* canonicalize_file_name(const char* path) noexcept {
  return realpath(path, nullptr);
}
