// Files in which the kernel describes the machine. As for sysinfo, the program sees its real
// equipment, but not its current activity.
#include "libsched/interpose/files/machine_files.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include <cstring>

#include "libsched/interpose/interpose.h"
#include "libsched/interpose/process/processors.h"

namespace rff {
namespace {

struct sysinfo machine() {
  struct sysinfo info = {};
  ::sysinfo(&info);
  return info;
}

std::string memory() {
  struct sysinfo info = machine();
  std::string text;
  auto line = [&](const char* name, unsigned long amount) {
    text += std::string(name) + ": " + std::to_string(amount * info.mem_unit / 1024) + " kB\n";
  };
  line("MemTotal", info.totalram);
  line("MemFree", info.freeram);
  line("MemAvailable", info.freeram);
  line("Buffers", 0);
  line("Cached", 0);
  line("SwapCached", 0);
  line("SwapTotal", info.totalswap);
  line("SwapFree", info.freeswap);
  return text;
}

std::string processors() {
  std::string text = "cpu 0 0 0 0 0 0 0 0 0 0\n";
  for (int i = 0; i < kProcessors; ++i) {
    text += "cpu" + std::to_string(i) + " 0 0 0 0 0 0 0 0 0 0\n";
  }
  return text + "ctxt 0\nbtime 1000000000\nprocesses 1\nprocs_running 1\nprocs_blocked 0\n";
}

std::string uptime() {
  std::string seconds = std::to_string(machine().uptime) + ".00";
  return seconds + " " + seconds + "\n";
}

}  // namespace

std::string machine_file(const char* path) {
  static constexpr char kProc[] = "/proc/";
  static constexpr char kSys[] = "/sys/";
  if (!controlled() || path == nullptr) {
    return "";
  }
  bool of_processes = std::strncmp(path, kProc, sizeof kProc - 1) == 0;
  if (of_processes || std::strncmp(path, kSys, sizeof kSys - 1) == 0) {
    std::string text = processor_file(path);
    if (!of_processes || !text.empty()) {
      return text;
    }
  } else {
    return "";
  }
  const char* name = path + sizeof kProc - 1;
  if (std::strcmp(name, "meminfo") == 0) {
    return memory();
  }
  if (std::strcmp(name, "stat") == 0) {
    return processors();
  }
  if (std::strcmp(name, "uptime") == 0) {
    return uptime();
  }
  return std::strcmp(name, "loadavg") == 0 ? "0.00 0.00 0.00 1/1 1\n" : "";
}

int open_text(const std::string& text, int flags) {
  long writable = real::syscall6(SYS_memfd_create, reinterpret_cast<long>("rff"), MFD_CLOEXEC);
  if (writable < 0) {
    errno = static_cast<int>(-writable);
    return -1;
  }
  real::syscall6(SYS_write, writable, reinterpret_cast<long>(text.data()),
                 static_cast<long>(text.size()));
  // It is open for reading only, so that runs of a fork server can share it.
  std::string own = "/proc/self/fd/" + std::to_string(writable);
  long readable =
      real::syscall6(SYS_openat, AT_FDCWD, reinterpret_cast<long>(own.c_str()), O_RDONLY);
  real::syscall6(SYS_dup3, readable, writable, flags & O_CLOEXEC);
  real::syscall6(SYS_close, readable);
  return static_cast<int>(writable);
}

}  // namespace rff

using namespace rff;

RFF_EXPORT int getloadavg(double* loads, int n) noexcept {
  if (!controlled()) {
    return RFF_REAL(getloadavg)(loads, n);
  }
  int given = n < 3 ? n : 3;
  for (int i = 0; i < given; ++i) {
    loads[i] = 0;
  }
  return given;
}
