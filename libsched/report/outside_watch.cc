#include "libsched/report/outside_watch.h"

#include <sys/prctl.h>

#include "libsched/support/real.h"
#include "libsched/support/words.h"

namespace rff::outside_watch {
namespace {

// Defined in <linux/prctl.h>, but not on older systems.
constexpr long kSetDispatch = 59;  // PR_SET_SYSCALL_USER_DISPATCH
constexpr long kDispatchOff = 0, kDispatchOn = 1;
constexpr char kAllow = 0, kBlock = 1;
constexpr int kDispatched = 2;  // SYS_USER_DISPATCH
constexpr std::uint64_t kSystemCallBytes = 2;

// The kernel reads this at each system call.
char selector = kAllow;
bool watching = false;
bool asked = false;

void prctl(long what, long a, long b = 0, long c = 0, long d = 0) {
  real::syscall6(SYS_prctl, what, a, b, c, d);
}

}  // namespace

bool begin(const Module& runtime) {
  selector = kBlock;
  long error = real::syscall6(
      SYS_prctl, kSetDispatch, kDispatchOn, static_cast<long>(runtime.begin),
      static_cast<long>(runtime.end - runtime.begin), reinterpret_cast<long>(&selector));
  if (error != 0) {
    selector = kAllow;
    return false;
  }
  watching = true;
  return true;
}

void end() {
  if (watching) {
    watching = false;
    selector = kAllow;
    prctl(kSetDispatch, kDispatchOff);
  }
}

bool noticed() {
  bool before = asked;
  asked = false;
  return before;
}

bool handle(int signal, const siginfo_t& info, std::uint64_t* rip) {
  if (!watching) {
    return false;
  }
  if (signal != SIGSYS || info.si_code != kDispatched) {
    return false;
  }
  *rip -= kSystemCallBytes;
  if (info.si_syscall == SYS_rt_sigreturn) {
    selector = kAllow;  // sigreturn after a fault in the runtime is no query
    return true;
  }
  asked = true;
  end();
  return true;
}

}  // namespace rff::outside_watch
