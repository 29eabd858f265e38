// Code that runs once: pthread_once, and the guards of static variables in functions.
//
// The C and C++ libraries do the work, under their own rules for exceptions and cancellation; the
// functions here only ensure that no thread enters those libraries when it would block.
#include <pthread.h>

#include "libsched/interpose/interpose.h"

namespace rff {
namespace {

struct InitialisationState {
  Thread* running = nullptr;  // the thread that runs the initialization
  CodeName since;
};

struct OnceState : InitialisationState {
  const int* control = nullptr;
};

struct GuardState : InitialisationState {};

// The C library sets this bit while a thread runs the routine, and clears it when an exception
// leaves the routine.
constexpr int kInProgress = 1;
constexpr int kDone = 2;

bool once_free(const Operation& op) {
  return (*static_cast<OnceState*>(op.state)->control & kInProgress) == 0;
}

Thread* once_runner(const Operation& op, CodeName* since) {
  auto* once = static_cast<OnceState*>(op.state);
  *since = once->since;
  return once->running;
}

constexpr WaitRule kOnceFree = {once_free, once_runner, WaitObject::kOnceRoutine};

bool guard_free(const Operation& op) {
  return static_cast<GuardState*>(op.state)->running == nullptr;
}

Thread* guard_runner(const Operation& op, CodeName* since) {
  auto* guard = static_cast<GuardState*>(op.state);
  *since = guard->since;
  return guard->running;
}

constexpr WaitRule kGuardFree = {guard_free, guard_runner, WaitObject::kStaticVariable, true};

void take(InitialisationState& s, CodeName site) {
  s.running = &runtime->run.execution.current();
  s.since = site;
}

}  // namespace

int call_once_only(int* control, void (*routine)(), const void* caller) {
  OnceState& state = Objects<OnceState>::instance().at(control);
  state.control = control;
  Operation op = operation(OpKind::kOnce, control, caller);
  op.waits_for = &kOnceFree;
  op.state = &state;
  runtime->run.execution.perform(op);
  SyncOrder& order = runtime->run.accesses.sharing.order;
  if ((*control & kDone) != 0) {
    order.acquire(runtime->run.execution.current(), &state);
    return 0;
  }
  take(state, op.site);
  int error = RFF_REAL(pthread_once)(control, routine);
  runtime->run.accesses.program_returned(runtime->run.execution.current());
  state.running = nullptr;
  Operation done = operation(OpKind::kOnce, control, caller);
  runtime->run.accesses.step(runtime->run.execution.current(), done);
  order.release(runtime->run.execution.current(), &state);
  return error;
}

}  // namespace rff

using namespace rff;

// The unwinder fills a table, without a step of a thread. A sanitizer may call it with a lock for
// which others wait unseen.
static bool by_unwinder(const void* caller) {
  const Module* m = runtime->process.modules.find(reinterpret_cast<std::uint64_t>(caller));
  return m != nullptr && m->unwinder;
}

RFF_EXPORT int pthread_once(pthread_once_t* control, void (*routine)()) {
  return controlled() && !by_unwinder(RFF_CALLER) ? call_once_only(control, routine, RFF_CALLER)
                                                  : RFF_REAL(pthread_once)(control, routine);
}

namespace __cxxabiv1 {
extern "C" {

int __cxa_guard_acquire(std::uint64_t*);
void __cxa_guard_release(std::uint64_t*) noexcept;
void __cxa_guard_abort(std::uint64_t*) noexcept;
}
}  // namespace __cxxabiv1
using namespace __cxxabiv1;

RFF_EXPORT int __cxa_guard_acquire(std::uint64_t* guard) {
  if (!controlled()) {
    return RFF_REAL(__cxa_guard_acquire)(guard);
  }
  GuardState& state = Objects<GuardState>::instance().at(guard);
  Operation op = operation(OpKind::kOnce, guard, RFF_CALLER);
  op.waits_for = &kGuardFree;
  op.state = &state;
  runtime->run.execution.perform(op);
  int mine = RFF_REAL(__cxa_guard_acquire)(guard);
  if (mine != 0) {
    take(state, op.site);
    runtime->run.execution.changed(&state);
  } else {
    runtime->run.accesses.sharing.order.acquire(runtime->run.execution.current(), &state);
  }
  return mine;
}

namespace {

void leave_guard(std::uint64_t* guard, const void* caller) {
  Operation op = operation(OpKind::kOnce, guard, caller);
  runtime->run.execution.perform(op);
  GuardState& state = Objects<GuardState>::instance().at(guard);
  state.running = nullptr;
  runtime->run.execution.changed(&state);
  runtime->run.accesses.sharing.order.release(runtime->run.execution.current(), &state);
}

}  // namespace

RFF_EXPORT void __cxa_guard_release(std::uint64_t* guard) noexcept {
  if (controlled()) {
    leave_guard(guard, RFF_CALLER);
  }
  RFF_REAL(__cxa_guard_release)(guard);
}

RFF_EXPORT void __cxa_guard_abort(std::uint64_t* guard) noexcept {
  if (controlled()) {
    leave_guard(guard, RFF_CALLER);
  }
  RFF_REAL(__cxa_guard_abort)(guard);
}
