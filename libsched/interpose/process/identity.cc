#include "libsched/interpose/process/identity.h"

#include <sys/syscall.h>
#include <unistd.h>

#include "libsched/interpose/interpose.h"

namespace rff {

namespace identity {

namespace {

pid_t program = 0;  // in a child: its number

}  // namespace

void before_child() { program = static_cast<pid_t>(real::syscall6(SYS_getpid)); }

pid_t real_process(pid_t seen) {
  if (!controlled() && program == 0) {
    return seen;
  }
  auto own = [] { return controlled() ? static_cast<pid_t>(real::syscall6(SYS_getpid)) : program; };
  switch (seen) {
    case kProcess: return own();
    case kParent: return controlled() ? static_cast<pid_t>(real::syscall6(SYS_getppid)) : seen;
    case kGroup: return static_cast<pid_t>(real::syscall6(SYS_getpgid, own()));
    case -kProcess: return -own();
    case -kGroup: return -static_cast<pid_t>(real::syscall6(SYS_getpgid, own()));
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
  if (controlled()) {
    return identity::kParent;
  }
  pid_t parent = RFF_REAL(getppid)();
  return identity::program != 0 && parent == identity::program ? identity::kProcess : parent;
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
