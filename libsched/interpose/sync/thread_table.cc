#include "libsched/interpose/sync/thread_table.h"

#include <cerrno>
#include <new>
#include <vector>

#include "libsched/interpose/interpose.h"
#include "libsched/interpose/process/identity.h"
#include "libsched/interpose/signals/signals.h"
#include "libsched/interpose/sync/early_threads.h"
#include "libsched/interpose/sync/thread_keys.h"
#include "libsched/report/signal_stacks.h"
#include "libsched/support/inside_runtime.h"
#include "libsched/support/runtime_stack.h"
#include "schedule/flat_map.h"

namespace rff {
namespace {

constexpr long kStartDepth = 1408;  // bytes of stack that a carrier may use to start a thread

struct Table {
  // All threads but the main one; the newest for each handle, since the C library reuses handles.
  FlatMap<Thread*> by_handle;
  FlatSet stacks_used;               // lowest addresses of stacks
  std::vector<Thread*> left_behind;  // detached threads that have ended, not yet released
};
Table& table() {
  alignas(kOnBusyPage) static char place[sizeof(Table)];
  static auto* made = new (place) Table;
  return *made;
}

// Calls `entry` with cleared registers: functions save their caller's registers on the stack, and
// the values left by a carrier differ from the other's.
__attribute__((always_inline)) inline void* call_with_clear_registers(void* (*entry)(void*),
                                                                      void* argument) {
  void* result;
  asm volatile(
      "xorl %%ebx, %%ebx\n\t"
      "xorl %%r12d, %%r12d\n\t"
      "xorl %%r13d, %%r13d\n\t"
      "xorl %%r14d, %%r14d\n\t"
      "xorl %%r15d, %%r15d\n\t"
      "call *%%rax"
      : "=a"(result), "+D"(argument)
      : "0"(entry)
      : "rbx", "rcx", "rdx", "rsi", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15", "memory",
        "cc");
  return result;
}

__attribute__((noinline)) void* run_entry(PosixThread& t) {
  if (!runtime->process.carrier().ends_threads_itself()) {
    end_with_destructors();
  }
  clear_vectors();
  wipe_stack_below(kStartDepth);
  return call_with_clear_registers(t.entry, t.argument);
}

void thread_body(Thread& t) {
  known_thread = true;
  if (!runtime->process.carrier().ends_threads_itself()) {
    on_runtime_stack([] { signal_stacks::use_own(); });
  }
  runtime->run.execution.started(t);
  // Names of locations on the stack count from here, and the program's frames begin at the same
  // address on every carrier.
  auto here = reinterpret_cast<std::uint64_t>(__builtin_alloca(16));
  std::uint64_t first_frame = t.carried->first_frame;
  if (first_frame != 0) {
    RFF_CHECK(here >= first_frame);
    auto* space = static_cast<volatile char*>(__builtin_alloca(here - first_frame));
    space[0] = 0;
    here = first_frame;
  }
  runtime->run.locations.remove_stack(t);
  t.stack_high = here;
  runtime->run.locations.add_stack(t);
  signals::take(Interruption::kNone);
  t.posix->result = run_entry(*t.posix);
}

// Called on fibers, which the C library does not know.
void fiber_ended(Thread&) {
  run_key_destructors();
  end_thread();
}

}  // namespace

TargetThread& main_thread() {
  alignas(kOnBusyPage) static char place[sizeof(TargetThread)];
  static_assert(alignof(TargetThread) <= kOnBusyPage);
  static TargetThread* main = nullptr;
  if (main == nullptr) {
    main = new (place) TargetThread;
    main->name = "main";
    main->posix->random = Random(hash_bytes(main->name));
    main->carried->handle = pthread_self();
    table();  // created now, and not again in every run
  }
  return *main;
}

namespace {

// Makes a thread of `t`, or deletes it. Returns 0 or an errno value.
int make(TargetThread* t, const pthread_attr_t* attributes, void* (*entry)(void*), void* argument,
         CodeName created_at) {
  Run& run = runtime->run;
  Thread& parent = run.execution.current();
  for (Thread* left : table().left_behind) {
    release_thread(*left);
  }
  table().left_behind.clear();
  run.execution.prepare(*t, created_at);
  t->memory->set_index(t->index);
  t->memory->role = static_cast<std::uint32_t>(mix64(created_at.packed()));
  t->carried->tid = static_cast<std::uint32_t>(identity::kProcess) + t->index;
  t->posix->random = Random(hash_bytes(t->name));
  t->posix->entry = entry;
  t->posix->argument = argument;
  t->posix->allowed = parent.posix->allowed;
  t->signals->mask = t->attendant ? ~signals::Set{0} : parent.signals->mask;
  int detach_state = PTHREAD_CREATE_JOINABLE;
  if (attributes != nullptr) {
    pthread_attr_getdetachstate(attributes, &detach_state);
  }
  t->posix->detached = detach_state == PTHREAD_CREATE_DETACHED;
  int error = choose_priority(*t, attributes);
  if (error == 0) {
    MakingThread guard;
    keeping_vectors(parent.carried->vectors, [&] {
      on_runtime_stack([&] {
        ThreadCode code = {thread_body, early_start(*t, parent), is_awaited(*t, parent),
                           fiber_ended};
        error = runtime->process.carrier().create(*t, attributes, code);
      });
    });
  }
  if (error != 0) {
    delete t;
    return error;
  }
  if (!table().stacks_used.insert(t->stack_low)) {
    run.shadow.forget(t->stack_low, t->stack_high - t->stack_low);
  }
  run.locations.add_thread(*t);
  run.locations.add_stack(*t);
  table().by_handle[t->carried->handle] = t;
  capture(run.trace.here);
  on_runtime_stack([&] { run.trace.thread(*t); });
  run.execution.add(*t);
  forget_objects(t->stack_low, t->stack_high - t->stack_low);
  return 0;
}

}  // namespace

int make_thread(Thread** made, const pthread_attr_t* attributes, void* (*entry)(void*),
                void* argument, CodeName created_at) {
  auto* t = new TargetThread;
  *made = t;
  return make(t, attributes, entry, argument, created_at);
}

Thread& make_attendant(const char* name, const Operation& first, void* (*entry)(void*),
                       void* argument, CodeName created_at) {
  auto* t = new TargetThread;
  t->attendant = true;
  t->name = name;
  t->start_operation = first;
  if (make(t, nullptr, entry, argument, created_at) != 0) {
    panic("there is no memory for a thread that serves the program's descriptors and timers");
  }
  return *t;
}

void end_thread() {
  Thread& t = runtime->run.execution.current();
  if (t.posix->detached && runtime->run.execution.live() > 1) {
    table().left_behind.push_back(&t);
  }
  runtime->run.execution.end_current();
}

void release_thread(Thread& t) {
  Thread& current = runtime->run.execution.current();
  if (t.posix->released) {
    return;
  }
  RFF_CHECK(&t != &current);
  t.posix->released = true;
  runtime->run.accesses.sharing.order.released(t);
  if (t.index == 0) {
    return;  // the C library keeps the main thread's resources
  }
  InsideRuntime guard;
  keeping_vectors(current.carried->vectors,
                  [&] { on_runtime_stack([&] { runtime->process.carrier().release(t); }); });
}

int detach_thread(Thread& t) {
  if (t.posix->detached) {
    return EINVAL;
  }
  t.posix->detached = true;
  if (t.state == ThreadState::kEnded) {
    release_thread(t);
  }
  return 0;
}

Thread* find_thread(pthread_t handle) {
  const auto* known = table().by_handle.find(handle);
  Thread* t = known != nullptr ? known->value : runtime->run.execution.threads().front();
  return t->carried->handle == handle && !t->posix->released ? t : nullptr;
}

}  // namespace rff
