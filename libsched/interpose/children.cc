// Processes that the program makes: they run uncontrolled, and what they execute finds a clean
// environment.
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include "libsched/findings/findings.h"
#include "libsched/hook/hook.h"
#include "libsched/interpose/interpose.h"
#include "libsched/interpose/signals.h"

namespace rff {
namespace {

// First of all handlers in a child, since it was registered first. Children of the fork server stay
// under control.
void in_child() {
  if (runtime == nullptr || runtime->serving()) {
    return;
  }
  for (PatchedModule* m : runtime->modules.patched()) {
    hook::disconnect(*m);
  }
  findings::remove_signal_handlers();
  signals::in_child();
  runtime = nullptr;
}

}  // namespace

void watch_children() { pthread_atfork(nullptr, nullptr, in_child); }

}  // namespace rff

using namespace rff;

namespace {

void before_child(const void* caller) {
  if (controlled()) {
    runtime->start_run();
    runtime->unmodelled("fork");
    runtime->shares_memory = true;
    yield(caller);
  }
}

}  // namespace

RFF_EXPORT pid_t fork() noexcept {
  before_child(RFF_CALLER);
  return RFF_REAL(fork)();
}

RFF_EXPORT pid_t _Fork() noexcept {
  before_child(RFF_CALLER);
  pid_t child = RFF_REAL(_Fork)();
  if (child == 0) {
    in_child();
  }
  return child;
}

// A child that shares the parent's memory would run the parent's hooks. As in the C library, the
// program's handlers for forks do not run.
RFF_EXPORT pid_t vfork() noexcept { return _Fork(); }
