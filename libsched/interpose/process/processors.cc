#include "libsched/interpose/process/processors.h"

#include <dirent.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include <cctype>
#include <cstring>
#include <string_view>

#include "libsched/interpose/interpose.h"
#include "libsched/interpose/process/identity.h"

namespace rff {
namespace {

constexpr char kProcessorFolder[] = "/sys/devices/system/cpu";
constexpr char kNodeFolder[] = "/sys/devices/system/node";

std::string all_processors() { return "0-" + std::to_string(kProcessors - 1) + "\n"; }

std::string read_file(const char* path) {
  std::string text;
  long fd = real::syscall6(SYS_openat, AT_FDCWD, reinterpret_cast<long>(path), O_RDONLY);
  char part[4096];
  for (long n; fd >= 0 &&
               (n = real::syscall6(SYS_read, fd, reinterpret_cast<long>(part), sizeof part)) > 0;) {
    text.append(part, static_cast<std::size_t>(n));
  }
  if (fd >= 0) {
    real::syscall6(SYS_close, fd);
  }
  return text;
}

// Returns a line "name   : value" of /proc/cpuinfo with the value of processor `number`.
std::string processor_line(std::string_view line, int number) {
  std::string_view name = line.substr(0, line.find_first_of("\t:"));
  struct Field {
    std::string_view name;
    std::string value;
  };
  const Field fields[] = {
      {"processor", std::to_string(number)},      {"physical id", "0"},
      {"siblings", std::to_string(kProcessors)},  {"core id", std::to_string(number)},
      {"cpu cores", std::to_string(kProcessors)}, {"apicid", std::to_string(number)},
      {"initial apicid", std::to_string(number)}, {"cpu MHz", "2000.000"},
  };
  for (const Field& field : fields) {
    if (name == field.name) {
      return std::string(line.substr(0, line.find(':') + 1)) + " " + field.value + "\n";
    }
  }
  return std::string(line) + "\n";
}

// Returns the machine's first processor kProcessors times, each as a separate core.
std::string descriptions() {
  std::string real = read_file("/proc/cpuinfo");
  std::string_view first = std::string_view(real).substr(0, real.find("\n\n"));
  std::string text;
  for (int i = 0; i < kProcessors; ++i) {
    for (std::string_view rest = first; !rest.empty();) {
      std::size_t end = rest.find('\n');
      text += processor_line(rest.substr(0, end), i);
      rest = end == rest.npos ? std::string_view() : rest.substr(end + 1);
    }
    text += "\n";
  }
  return text;
}

bool ends_with(const std::string& path, std::string_view name) {
  return path.size() > name.size() && std::string_view(path).ends_with(name);
}

// A control group has no limit except the number of processors.
std::string group_file(const std::string& path) {
  if (ends_with(path, "/cpu.max")) {
    return "max 100000\n";
  }
  if (ends_with(path, "/cpu.cfs_quota_us")) {
    return "-1\n";
  }
  bool set = ends_with(path, "/cpuset.cpus") || ends_with(path, "/cpuset.cpus.effective");
  return set ? all_processors() : "";
}

}  // namespace

std::string processor_file(const std::string& path) {
  if (path == "/proc/cpuinfo") {
    return descriptions();
  }
  if (path.starts_with("/sys/fs/cgroup/")) {
    return group_file(path);
  }
  if (path.starts_with(kProcessorFolder)) {
    std::string name = path.substr(sizeof kProcessorFolder - 1);
    if (name == "/online" || name == "/present" || name == "/possible") {
      return all_processors();
    }
    if (name == "/offline" || name == "/isolated") {
      return "\n";
    }
  }
  return "";
}

bool hides_processors(const char* path) {
  if (!controlled() || path == nullptr) {
    return false;
  }
  if (std::strncmp(path, kNodeFolder, sizeof kNodeFolder - 1) == 0) {
    return true;
  }
  if (std::strncmp(path, kProcessorFolder, sizeof kProcessorFolder - 1) != 0) {
    return false;
  }
  std::string_view rest = path + sizeof kProcessorFolder - 1;
  bool folder = rest.empty() || rest == "/";
  return folder || (rest.starts_with("/cpu") && rest.size() > 4 && std::isdigit(rest[4]) != 0);
}

}  // namespace rff

using namespace rff;
using identity::real_process;

RFF_EXPORT int sched_getcpu() noexcept { return controlled() ? 0 : RFF_REAL(sched_getcpu)(); }

RFF_EXPORT int getcpu(unsigned* cpu, unsigned* node) noexcept {
  if (!controlled()) {
    return RFF_REAL(getcpu)(cpu, node);
  }
  if (cpu != nullptr) {
    *cpu = 0;
  }
  if (node != nullptr) {
    *node = 0;
  }
  return 0;
}

RFF_EXPORT int sched_getaffinity(pid_t pid, std::size_t size, cpu_set_t* cpus) noexcept {
  if (!controlled() || !identity::own_thread(pid)) {
    return RFF_REAL(sched_getaffinity)(real_process(pid), size, cpus);
  }
  CPU_ZERO_S(size, cpus);
  for (int i = 0; i < kProcessors; ++i) {
    CPU_SET_S(i, size, cpus);
  }
  return 0;
}

// All threads share one core here: the affinity that they ask for changes nothing.
RFF_EXPORT int sched_setaffinity(pid_t pid, std::size_t size, const cpu_set_t* cpus) noexcept {
  return controlled() && identity::own_thread(pid)
             ? 0
             : RFF_REAL(sched_setaffinity)(real_process(pid), size, cpus);
}

RFF_EXPORT int get_nprocs() noexcept { return controlled() ? kProcessors : RFF_REAL(get_nprocs)(); }
RFF_EXPORT int get_nprocs_conf() noexcept {
  return controlled() ? kProcessors : RFF_REAL(get_nprocs_conf)();
}

RFF_EXPORT DIR* opendir(const char* path) {
  if (hides_processors(path)) {
    errno = ENOENT;
    return nullptr;
  }
  return RFF_REAL(opendir)(path);
}

RFF_EXPORT int access(const char* path, int mode) noexcept {
  if (hides_processors(path)) {
    errno = ENOENT;
    return -1;
  }
  return RFF_REAL(access)(path, mode);
}
