#include "libsched/interpose/files/machine_files.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstring>

#include "libsched/interpose/interpose.h"
#include "libsched/interpose/process/identity.h"
#include "libsched/interpose/process/machine.h"
#include "libsched/interpose/process/processors.h"
#include "libsched/interpose/process/random.h"

namespace rff {
namespace {

std::string memory() {
  std::string text;
  auto line = [&](const char* name, std::uint64_t bytes) {
    text += std::string(name) + ": " + std::to_string(bytes / 1024) + " kB\n";
  };
  line("MemTotal", machine::kMemory);
  line("MemFree", machine::kFreeMemory);
  line("MemAvailable", machine::kFreeMemory);
  for (const char* name : {"Buffers", "Cached", "SwapCached", "SwapTotal", "SwapFree"}) {
    line(name, 0);
  }
  return text;
}

std::string processor_times() {
  std::string text = "cpu 0 0 0 0 0 0 0 0 0 0\n";
  for (unsigned i = 0; i < processors(); ++i) {
    text += "cpu" + std::to_string(i) + " 0 0 0 0 0 0 0 0 0 0\n";
  }
  std::uint64_t started = (machine::kEpoch - machine::kBoot) / machine::kSecond;
  return text + "ctxt 0\nbtime " + std::to_string(started) +
         "\nprocesses 1\nprocs_running 1\nprocs_blocked 0\n";
}

std::string uptime() {
  std::uint64_t hundredths = (machine::kBoot + runtime->run.execution.now) / 10'000'000;
  std::string rest = std::to_string(hundredths % 100);
  std::string text = std::to_string(hundredths / 100) + (rest.size() < 2 ? ".0" : ".") + rest;
  return text + " " + text + "\n";
}

std::string random_id() {
  unsigned char bytes[16];
  fill_random(bytes, sizeof bytes);
  bytes[6] = static_cast<unsigned char>((bytes[6] & 0x0f) | 0x40);
  bytes[8] = static_cast<unsigned char>((bytes[8] & 0x3f) | 0x80);
  std::string text;
  for (int i = 0; i < 16; ++i) {
    constexpr char kDigits[] = "0123456789abcdef";
    text += i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "";
    text += kDigits[bytes[i] >> 4];
    text += kDigits[bytes[i] & 15];
  }
  return text + "\n";
}

struct NamedFile {
  const char* name;  // below /proc/
  std::string (*text)();
};
constexpr NamedFile kFiles[] = {
    {"meminfo", memory},
    {"stat", processor_times},
    {"uptime", uptime},
    {"loadavg", [] { return "0.00 0.00 0.00 1/1 " + std::to_string(identity::kProcess) + "\n"; }},
    {"version",
     [] {
       return std::string("Linux version ") + machine::kRelease + " " + machine::kVersion + "\n";
     }},
    {"sys/kernel/hostname", [] { return std::string(machine::kHostName) + "\n"; }},
    {"sys/kernel/domainname", [] { return std::string(machine::kDomainName) + "\n"; }},
    {"sys/kernel/osrelease", [] { return std::string(machine::kRelease) + "\n"; }},
    {"sys/kernel/version", [] { return std::string(machine::kVersion) + "\n"; }},
    {"sys/kernel/random/boot_id", [] { return std::string(machine::kBootId) + "\n"; }},
    {"sys/kernel/random/uuid", random_id},
    {"sys/kernel/random/entropy_avail", [] { return std::string("256\n"); }},
};

constexpr char kProc[] = "/proc/";
constexpr char kSelf[] = "/proc/self/";
constexpr mode_t kTextMode = S_ISVTX | 0444;  // no other file without a name has it

// Returns the rest of the path behind the name of the process or of one of its threads; null if it
// names neither.
const char* behind_process(const char* name) {
  auto behind = [&](const std::string& word) -> const char* {
    bool same = std::strncmp(name, word.c_str(), word.size()) == 0;
    return same && (name[word.size()] == 0 || name[word.size()] == '/') ? name + word.size()
                                                                        : nullptr;
  };
  const char* rest = behind("self");
  rest = rest != nullptr ? rest : behind("thread-self");
  return rest != nullptr ? rest : behind(std::to_string(identity::kProcess));
}

}  // namespace

std::string plain_machine_path(const char* path) {
  std::string plain;
  for (const char* c = path; *c != 0; ++c) {
    if (*c != '/' || plain.empty() || plain.back() != '/') {
      plain += *c;
    }
  }
  if (plain.size() > 1 && plain.back() == '/') {
    plain.pop_back();
  }
  if (plain.starts_with(kProc)) {
    if (const char* rest = behind_process(plain.c_str() + sizeof kProc - 1)) {
      return std::string("/proc/self") + rest;
    }
  }
  return plain;
}

MachineEntry machine_entry(const char* path) {
  if (!controlled() || path == nullptr || path[0] != '/') {
    return {};
  }
  bool of_processes = std::strncmp(path, "/proc", 5) == 0;
  if (!of_processes && std::strncmp(path, "/sys", 4) != 0) {
    return {};
  }
  std::string plain = plain_machine_path(path);
  if (!of_processes || plain == "/proc/cpuinfo") {
    return processor_entry(plain);
  }
  if (plain.starts_with(kSelf)) {
    return process_entry(plain.substr(sizeof kSelf - 1));
  }
  for (const NamedFile& file : kFiles) {
    if (plain.compare(sizeof kProc - 1, plain.npos, file.name) == 0) {
      return MachineEntry::file(file.text());
    }
  }
  return {};
}

int open_text(const std::string& text, int flags) {
  long writable = real::syscall6(SYS_memfd_create, reinterpret_cast<long>("rff"), MFD_CLOEXEC);
  if (writable < 0) {
    errno = static_cast<int>(-writable);
    return -1;
  }
  real::syscall6(SYS_write, writable, reinterpret_cast<long>(text.data()),
                 static_cast<long>(text.size()));
  real::syscall6(SYS_fchmod, writable, kTextMode);
  // It is open for reading only, so that runs of a fork server can share it.
  std::string own = "/proc/self/fd/" + std::to_string(writable);
  long readable =
      real::syscall6(SYS_openat, AT_FDCWD, reinterpret_cast<long>(own.c_str()), O_RDONLY);
  real::syscall6(SYS_dup3, readable, writable, flags & O_CLOEXEC);
  real::syscall6(SYS_close, readable);
  return static_cast<int>(writable);
}

bool opened_as_text(const struct stat& status) {
  return status.st_mode == (S_IFREG | kTextMode) && status.st_nlink == 0;
}

void fill_machine_status(const MachineEntry& entry, struct stat* status) {
  bool folder = entry.kind == MachineEntry::Kind::kFolder;
  *status = {};
  status->st_ino = 1;
  status->st_mode = folder ? S_IFDIR | 0555 : S_IFREG | 0444;
  status->st_nlink = folder ? 2 : 1;
  status->st_size = folder ? 0 : 4096;
  status->st_blksize = 4096;
  status->st_atim.tv_sec = status->st_mtim.tv_sec = status->st_ctim.tv_sec =
      static_cast<time_t>((machine::kEpoch - machine::kBoot) / machine::kSecond);
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
