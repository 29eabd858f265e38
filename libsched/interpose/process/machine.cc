// Implements the calls that tell about the machine: see machine.h.
#include "libsched/interpose/process/machine.h"

#include <sys/sysinfo.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <cstring>

#include "libsched/interpose/interpose.h"
#include "libsched/interpose/process/processors.h"

using namespace rff;

RFF_EXPORT long sysconf(int name) noexcept {
  if (controlled()) {
    switch (name) {
      case _SC_NPROCESSORS_ONLN:
      case _SC_NPROCESSORS_CONF: return processors();
      case _SC_PHYS_PAGES: return machine::kMemory / machine::kPageBytes;
      case _SC_AVPHYS_PAGES: return machine::kFreeMemory / machine::kPageBytes;
      default: break;
    }
  }
  return RFF_REAL(sysconf)(name);
}

RFF_EXPORT long get_phys_pages() noexcept { return sysconf(_SC_PHYS_PAGES); }
RFF_EXPORT long get_avphys_pages() noexcept { return sysconf(_SC_AVPHYS_PAGES); }

RFF_EXPORT int sysinfo(struct sysinfo* info) noexcept {
  if (!controlled()) {
    return RFF_REAL(sysinfo)(info);
  }
  struct sysinfo seen = {};
  seen.uptime = static_cast<long>((machine::kBoot + runtime->run.execution.now) / machine::kSecond);
  seen.totalram = machine::kMemory;
  seen.freeram = machine::kFreeMemory;
  seen.procs = 1;
  seen.mem_unit = 1;
  *info = seen;
  return 0;
}

RFF_EXPORT int uname(utsname* names) noexcept {
  if (!controlled()) {
    return RFF_REAL(uname)(names);
  }
  utsname seen = {};
  std::strcpy(seen.sysname, "Linux");
  std::strcpy(seen.nodename, machine::kHostName);
  std::strcpy(seen.release, machine::kRelease);
  std::strcpy(seen.version, machine::kVersion);
  std::strcpy(seen.machine, "x86_64");
  std::strcpy(seen.domainname, machine::kDomainName);
  *names = seen;
  return 0;
}

namespace {

// As the C library does: the name is cut off if there is no room for it.
int give_name(const char* name, char* to, std::size_t room) {
  std::size_t bytes = std::strlen(name) + 1;
  std::memcpy(to, name, bytes < room ? bytes : room);
  if (bytes > room) {
    errno = ENAMETOOLONG;
    return -1;
  }
  return 0;
}

}  // namespace

RFF_EXPORT int gethostname(char* to, std::size_t room) noexcept {
  return controlled() ? give_name(machine::kHostName, to, room) : RFF_REAL(gethostname)(to, room);
}

RFF_EXPORT int getdomainname(char* to, std::size_t room) noexcept {
  return controlled() ? give_name(machine::kDomainName, to, room)
                      : RFF_REAL(getdomainname)(to, room);
}

// Its value comes from the host's address.
RFF_EXPORT long gethostid() { return controlled() ? 0x7f0100 : RFF_REAL(gethostid)(); }
