#include "libsched/interpose/process/identity.h"

#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include "libsched/interpose/interpose.h"
#include "libsched/interpose/process/processors.h"

namespace rff {

namespace identity {

pid_t real_process(pid_t seen) {
  if (!controlled()) {
    return seen;
  }
  switch (seen) {
    case kProcess: return static_cast<pid_t>(real::syscall6(SYS_getpid));
    case kParent: return static_cast<pid_t>(real::syscall6(SYS_getppid));
    case kGroup: return static_cast<pid_t>(real::syscall6(SYS_getpgid, 0));
    case -kProcess: return -static_cast<pid_t>(real::syscall6(SYS_getpid));
    case -kGroup: return -static_cast<pid_t>(real::syscall6(SYS_getpgid, 0));
    default: return seen;
  }
}

namespace {

bool itself(pid_t pid) { return pid == 0 || pid == kProcess; }

}  // namespace

bool own_thread(pid_t tid) {
  return tid == 0 || (tid >= kProcess &&
                      tid < kProcess + static_cast<pid_t>(runtime->run.execution.threads().size()));
}

}  // namespace identity

}  // namespace rff

using namespace rff;
using identity::real_process;

RFF_EXPORT pid_t getpid() noexcept {
  return controlled() ? identity::kProcess : RFF_REAL(getpid)();
}

RFF_EXPORT pid_t getppid() noexcept {
  return controlled() ? identity::kParent : RFF_REAL(getppid)();
}

RFF_EXPORT pid_t gettid() noexcept {
  return controlled()
             ? identity::kProcess + static_cast<pid_t>(runtime->run.execution.current().index)
             : RFF_REAL(gettid)();
}

RFF_EXPORT pid_t getpgrp() noexcept {
  return controlled() ? identity::kGroup : RFF_REAL(getpgrp)();
}

RFF_EXPORT pid_t getpgid(pid_t pid) noexcept {
  return controlled() && identity::itself(pid) ? identity::kGroup
                                               : RFF_REAL(getpgid)(real_process(pid));
}

RFF_EXPORT pid_t getsid(pid_t pid) noexcept {
  return controlled() && identity::itself(pid) ? identity::kGroup
                                               : RFF_REAL(getsid)(real_process(pid));
}

RFF_EXPORT int setpgid(pid_t pid, pid_t group) noexcept {
  return RFF_REAL(setpgid)(real_process(pid), real_process(group));
}

RFF_EXPORT long sysconf(int name) noexcept {
  if (controlled() && (name == _SC_NPROCESSORS_ONLN || name == _SC_NPROCESSORS_CONF)) {
    return kProcessors;
  }
  if (controlled() && name == _SC_AVPHYS_PAGES) {
    return RFF_REAL(sysconf)(_SC_PHYS_PAGES) / 2;
  }
  return RFF_REAL(sysconf)(name);
}

// The program sees the machine's real equipment, but not its current activity.
RFF_EXPORT int sysinfo(struct sysinfo* info) noexcept {
  int result = RFF_REAL(sysinfo)(info);
  if (result == 0 && controlled()) {
    struct sysinfo seen = {};
    seen.uptime = static_cast<long>(1000 + runtime->run.execution.now / 1'000'000'000);
    seen.totalram = info->totalram;
    seen.freeram = info->totalram / 2;
    seen.totalswap = seen.freeswap = info->totalswap;
    seen.totalhigh = info->totalhigh;
    seen.procs = 1;
    seen.mem_unit = info->mem_unit;
    *info = seen;
  }
  return result;
}
