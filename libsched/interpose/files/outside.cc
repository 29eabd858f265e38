#include "libsched/interpose/files/outside.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "libsched/interpose/descriptors/description.h"
#include "libsched/snapshot/unwatched.h"

namespace rff::outside {
namespace {

struct Descriptor {
  int fd;
  short events;
};

constexpr WaitRule kDescriptorReady = {[](const Operation& op) {
                                         children::settle();
                                         auto* d = static_cast<Descriptor*>(op.state);
                                         return ready(d->fd, d->events);
                                       },
                                       nullptr, WaitObject::kDescriptor};

}  // namespace

// Calls that only ask leave nothing behind: the witness of runs in place need not see them.
bool ready(int fd, short events) {
  pollfd p{fd, events, 0};
  return unwatched::call(SYS_poll, unwatched::address(&p), 1, 0) != 0;
}

bool wait(const char* name, const WaitRule& rule, void* state, std::uint64_t deadline,
          const void* caller, Interruption on_signal, bool internal) {
  if (!internal) {
    touched_outside(name);
  }
  cancellation_point();
  Operation op = operation(OpKind::kSyscall, nullptr, caller);
  op.waits_for = &rule;
  op.state = state;
  op.deadline = deadline;
  op.external = !internal;
  op.cancellable = true;
  op.on_signal = on_signal;
  runtime->run.execution.perform(op);
  if (was_cancelled(op)) {
    act_on_cancellation();
  }
  runtime->run.execution.progress.made();
  if (op.interrupted) {
    errno = EINTR;
  }
  return !op.interrupted;
}

bool may_block(int fd) {
  struct stat s;
  if (unwatched::call(SYS_fstat, fd, unwatched::address(&s)) != 0 || S_ISREG(s.st_mode) ||
      S_ISDIR(s.st_mode) || S_ISBLK(s.st_mode)) {
    return false;
  }
  long flags = unwatched::call(SYS_fcntl, fd, F_GETFL);
  return flags >= 0 && (flags & O_NONBLOCK) == 0;
}

bool await(const char* name, int fd, short events, const void* caller, Interruption on_signal,
           bool waits, std::size_t bytes) {
  if (controlled() && descriptions::internal(fd)) {
    waits = waits && may_block(fd);
    return (events & POLLOUT) != 0 ? descriptions::send(fd, waits, caller, on_signal)
                                   : descriptions::receive(fd, waits, bytes, caller, on_signal);
  }
  Descriptor d{fd, events};
  return !watched() || !waits || !may_block(fd) ||
         wait(name, kDescriptorReady, &d, kNever, caller, on_signal);
}

}  // namespace rff::outside
