#include "libsched/process/inherited_state.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#include <climits>
#include <initializer_list>

#include "libsched/support/real.h"

namespace rff {
namespace {

struct State {
  char folder[PATH_MAX];
  long file_mask;
  rlimit limits[RLIMIT_NLIMITS];
  long input_offset;  // negative: none
};
State state = {};

template <typename Value>
long address_of(const Value& value) {
  return reinterpret_cast<long>(&value);
}

// Resets signals as the launcher does: none ignored, none blocked.
void reset_signals() {
  const struct { unsigned long handler, flags, restorer, mask; } by_default = {};
  const unsigned long none = 0;
  for (int number = 1; number < NSIG; ++number) {
    real::syscall6(SYS_rt_sigaction, number, address_of(by_default), 0, sizeof by_default.mask);
  }
  real::syscall6(SYS_rt_sigprocmask, SIG_SETMASK, address_of(none), 0, sizeof none);
}

}  // namespace

void remember_inherited_state() {
  if (real::syscall6(SYS_getcwd, address_of(state.folder), sizeof state.folder) < 0) {
    state.folder[0] = 0;
  }
  state.file_mask = real::syscall6(SYS_umask, 0);
  real::syscall6(SYS_umask, state.file_mask);
  for (int i = 0; i < RLIMIT_NLIMITS; ++i) {
    real::syscall6(SYS_prlimit64, 0, i, 0, address_of(state.limits[i]));
  }
  state.input_offset = real::syscall6(SYS_lseek, STDIN_FILENO, 0, SEEK_CUR);
}

void put_back_inherited_state() {
  const itimerval never = {};
  for (int timer : {ITIMER_REAL, ITIMER_VIRTUAL, ITIMER_PROF}) {
    real::syscall6(SYS_setitimer, timer, address_of(never));
  }
  reset_signals();
  real::syscall6(SYS_chdir, address_of(state.folder));
  real::syscall6(SYS_umask, state.file_mask);
  for (int i = 0; i < RLIMIT_NLIMITS; ++i) {
    real::syscall6(SYS_prlimit64, 0, i, address_of(state.limits[i]));
  }
  if (state.input_offset >= 0) {
    real::syscall6(SYS_lseek, STDIN_FILENO, state.input_offset, SEEK_SET);
  }
}

}  // namespace rff
