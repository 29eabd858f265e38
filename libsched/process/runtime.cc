#include "libsched/process/runtime.h"

#include <malloc.h>
#include <signal.h>

#include "libsched/libc/assumptions.h"
#include "libsched/process/output_tee.h"
#include "libsched/report/stack_walk.h"
#include "libsched/report/watchdog.h"
#include "libsched/support/arena.h"
#include "libsched/support/check.h"
#include "libsched/support/inside_runtime.h"
#include "libsched/support/known_thread.h"
#include "libsched/support/real.h"
#include "libsched/support/runtime_stack.h"
#include "libsched/support/vector_state.h"

extern "C" void* __libc_stack_end;

namespace rff {

Runtime* runtime = nullptr;

// Returns where the variable is in every thread, from fs on.
static std::uint64_t place_of_known_thread() {
  std::uint64_t thread = 0;
  asm("movq %%fs:0, %0" : "=r"(thread));
  return reinterpret_cast<std::uint64_t>(&known_thread) - thread;
}

Runtime::Runtime(Process& own, Thread& main, World& world, const HookEntries& hooks)
    : run(main, own.modules, world), process(own), main_(main), world_(world), hooks_(hooks) {
  main.stack_high = reinterpret_cast<std::uint64_t>(__libc_stack_end);
  main.stack_low = main.stack_high - (std::uint64_t{8} << 20);
  process.modules.refresh();
  run.locations.add_stack(main);
  UseArena guard(Arena::kRuntimeStack);
  process.read_instructions();
  if (process.checks.has(kCheckMemory)) {
    process.checked_blocks = new HeapBlocks;
  }
  connect_checks();
  if (const char* name = broken_assumption()) {
    panic("this C library is not known: it keeps elsewhere ", name);
  }
  if (process.trace_path() != nullptr) {
    run.trace.open(process.trace_path(), process.traces_everything(),
                   process.traces_callers() ? &process.modules : nullptr);
  }
  if (process.shared != nullptr && process.shared->keeps_output != 0) {
    output_tee::start(process.shared->output);
  }
  // One arena: threads do not run in parallel, and addresses should not depend on their number.
  mallopt(M_ARENA_MAX, 1);
  process.sanitizer.find(process.modules);
  process.choose_carrier(main, run.findings);
  run.execution.set_carrier(process.carrier());
  for (PatchedModule* m : process.modules.patched()) {
    m->connect_world(hooks_);
  }
}

void Runtime::connect_checks() {
  if (process.checked_blocks != nullptr) {
    run.check.start(process.checks, *process.checked_blocks, run.findings);
    run.shadow.set_guards(process.checked_blocks);
    run.accesses.set_check(run.check);
  }
  if (process.checks.has(kCheckStack)) {
    run.stack_check.start(process.checks, run.execution, run.stack, run.findings);
    run.accesses.set_check(run.stack_check);
  }
}

void Runtime::start_run() {
  if (!run.begun()) {
    // Vector registers end up on the program's stack, for example in the loader.
    keeping_vectors(run.execution.current().carried->vectors,
                    [&] { on_runtime_stack([&] { begin_run(); }); });
  }
}

void Runtime::begin_run() {
  process.modules.refresh();
  process.publish_modules();
  trace_modules();
  begin(process.next_schedule(*this));
  if (process.shared != nullptr) {
    watchdog::start_run(process.shared->schedule_timeout_ms);
  }
}

void Runtime::begin_embedded_run(const Schedule& schedule) {
  process.shared->run.begin();
  begin(schedule);
}

void Runtime::begin(const Schedule& schedule) {
  // The memory of every run is the same from here on, served or not.
  start_generation();
  if (process.driver.connected()) {
    run.driver = &process.driver;
  }
  run.begin(schedule, process.shared, process.map(), process.map_size());
  process.sanitizer.begin_run();
  if (process.sanitizer.checks_addresses()) {
    run.accesses.set_checker(process.sanitizer);
  }
  connect_hooks();
}

void Runtime::finish_run(int exit_status) {
  run.end(exit_status);
  if (run.findings.found()) {
    output_tee::end();
  }
}

std::uint64_t Runtime::program_call(std::uint64_t otherwise) const {
  StopContext here;
  capture(here);
  std::uint64_t frame = program_frame(process.modules, here);
  return frame != 0 ? frame + 1 : otherwise;  // places are return addresses
}

void Runtime::reject_run() {
  if (process.host != nullptr) {
    process.host->run_rejected();
  }
  for (;;) {
    real::syscall6(SYS_exit_group, 0);
  }
}

void Runtime::end_process(int signal) {
  if (process.host != nullptr) {
    process.host->run_failed(signal);
  }
  die(signal);
}

// Called in the fork server. Most schedules use all known points, and hooks for private accesses:
// children find these in place.
void Runtime::prepare_runs() {
  if (process.shared != nullptr) {
    run.accesses.points.use(process.shared->points.begin(), process.shared->points.end());
  }
  connect_hooks();
}

void Runtime::connect_hooks() {
  bool every_access = run.accesses.every_access() || run.trace.everything() || follows_reads() ||
                      run.accesses.rules.by_address();
  JoinedPlaces places;
  if (!every_access && !run.trace.enabled() && process.may_join()) {
    places = {run.execution.current_memory_at(),
              &run.execution.steps,
              run.accesses.hash_at(),
              &run.shadow.cache(),
              run.accesses.sharing.order.eras_at(),
              run.shadow.histories_at(),
              run.accesses.late_at(),
              InsideRuntime::depth_at(),
              place_of_known_thread(),
              process.handles_faults};
  }
  bool alone = process.takes_turns();
  auto* access = every_access ? (alone ? hooks_.every_access : hooks_.shared_every_access)
                              : (alone ? hooks_.access : hooks_.shared_access);
  for (PatchedModule* m : process.modules.patched()) {
    m->connect(hooks_, access);
    m->join(hooks_, places);
  }
}

void handles_fault(int signal, bool handles) {
  if (handles && signal != SIGABRT && runtime != nullptr) {
    runtime->join_for_faults();
  }
}

void Runtime::join_for_faults() {
  process.handles_faults = true;
  connect_groups_again();
}

void Runtime::stop_joining() {
  process.joins_no_more = true;
  connect_groups_again();
}

void Runtime::connect_groups_again() {
  if (run.begun()) {
    on_runtime_stack([&] { connect_hooks(); });
  }
}

void Runtime::trace_modules() {
  for (const Module& m : process.modules.all()) {
    trace::ModuleInfo info{m.hash, m.patched != nullptr ? 1u : 0u, m.bias, m.end};
    run.trace.module(info, m.path);
  }
}

void Runtime::modules_changed() {
  bool changed = false;
  on_runtime_stack([&] { changed = process.modules.refresh(); });
  if (!changed) {
    return;
  }
  if (!run.begun()) {
    for (PatchedModule* m : process.modules.patched()) {
      m->connect_world(hooks_);
    }
    return;
  }
  on_runtime_stack([&] {
    process.publish_modules();
    trace_modules();
    run.accesses.points.mark_new_modules();
    run.accesses.rules.mark_new_modules();
    connect_hooks();
  });
}

}  // namespace rff
