// The beginning and the end of the program: main, exit, abort, failed assertions.
#include <dlfcn.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "libsched/interpose/files/stream_locks.h"
#include "libsched/interpose/files/streams.h"
#include "libsched/interpose/interpose.h"
#include "libsched/interpose/process/children.h"
#include "libsched/interpose/signals/signals.h"
#include "libsched/libc/streams.h"
#include "libsched/process/destructors.h"
#include "libsched/process/given_input.h"
#include "libsched/process/output_tee.h"
#include "libsched/support/runtime_stack.h"
#include "libsched/support/vector_state.h"
#include "schedule/shared_memory.h"

namespace rff {

namespace {

constexpr long kLoaderDepth = 64 << 10;  // bytes of stack that the loader may have used

int (*real_main)(int, char**, char**) = nullptr;
alignas(kOnBusyPage) CodeName end_place;  // the caller of exit

// The loader has drawn a random stack protector value; programs spill it to their stacks, where it
// would be the only difference between two runs.
void fix_stack_protector() { asm volatile("movq %0, %%fs:0x28" : : "r"(0x5afe57acc0de0000ULL)); }

// Call when the program is about to end. A status other than 0 is a finding if the user asked for
// that.
void leave(int status, CodeName place) {
  runtime->start_run();
  runtime->run.exit_status = status;
  if (runtime->run.schedule().exit_is_finding && status != 0) {
    runtime->run.findings.bad_exit(status, place);
  }
}

// The other threads continue while exit handlers run and until the process is gone: this lets them
// run first.
void let_others_run(CodeName place) {
  if (watched() || (controlled() && runtime->run.begun() && runtime->run.accesses.stops_alone)) {
    Operation op;
    op.op = OpKind::kExit;
    op.site = place;
    runtime->run.execution.perform(op);
  }
}

int run_main(int argc, char** argv, char** envp) {
  if (controlled() && runtime->process.from_start()) {
    runtime->start_run();
    give_input(runtime->run.schedule().input, argv);
  }
  int status = real_main(argc, argv, envp);
  if (controlled()) {
    // Places are return addresses: this one makes calls from here appear as calls from main.
    end_place = runtime->code(reinterpret_cast<const char*>(real_main) + 1);
    leave(status, end_place);
    let_others_run(end_place);
    RFF_REAL(exit)(status);
  }
  return status;
}

// No object of the runtime is destroyed at the end of a process: that would only copy pages.
extern "C" {
__attribute__((visibility("hidden"))) void* __dso_handle = nullptr;
__attribute__((visibility("hidden"))) int __wrap___cxa_atexit(void (*)(void*), void*, void*) {
  return 0;
}
}

void finish_run(int status) {
  children::note_end();
  runtime->finish_run(status);
}

// Runs after the program's own exit handlers.
void finalise() {
  if (runtime != nullptr) {
    runtime->start_run();
    finish_run(runtime->run.exit_status);
    known_thread = false;  // no other thread runs any more
  }
}

bool main_begins = false;

alignas(kOnBusyPage) bool nobody_else = false;

// Runs after all destructors and the functions that they have registered. Only the streams are left
// then: if they have nothing to write, ending at once avoids copies of pages.
void end_run(int status, void*) {
  if (controlled()) {
    leave(status, {});  // the C library may have called its own exit
  }
  if (controlled()) {
    let_others_run(end_place);
    flush_internal_streams();
  }
  finalise();
  if (nobody_else && streams::all_at_rest()) {
    real::syscall6(SYS_exit_group, status);
  }
}

bool checking_leaks = false;

// Does LeakSanitizer's check here instead of among the destructors, since the run has not ended
// yet. LeakSanitizer stops all threads from a process that shares this one's memory: calls from
// there are no steps of the program.
void check_leaks() {
  if (!controlled() || !runtime->process.sanitizer.keeps_threads()) {
    return;
  }
  // Only the runtime knows the argument of a thread that has not begun.
  const std::vector<Thread*>& threads = runtime->run.execution.threads();
  auto** arguments = static_cast<void**>(__builtin_alloca(threads.size() * sizeof(void*)));
  for (std::size_t i = 0; i < threads.size(); ++i) {
    arguments[i] = threads[i]->posix->argument;
  }
  asm volatile("" : : "r"(arguments) : "memory");
  known_thread = false;
  checking_leaks = true;
  runtime->process.sanitizer.check_leaks();
  checking_leaks = false;
  known_thread = true;
}

// LeakSanitizer ends the program because of its findings, or because it could not check.
void end_leak_check() {
  known_thread = true;
  checking_leaks = false;
  if (runtime->process.sanitizer.could_not_check_leaks()) {
    runtime->process.unmodelled("LeakSanitizer's search at the end: it may not use ptrace here");
    finalise();
    _exit(0);
  }
}

// Called in place of the loader's function, as the last one registered for the end.
void end_program() {
  check_leaks();
  bool registered = RFF_REAL(on_exit)(end_run, nullptr) == 0;
  nobody_else = call_destructors();
  if (!registered) {
    finalise();
  }
}

// Runs if the process ends before main.
__attribute__((destructor(101))) void end_without_main() {
  if (!main_begins) {
    finalise();
  }
}

}  // namespace
}  // namespace rff

using namespace rff;

RFF_EXPORT int __libc_start_main(int (*main)(int, char**, char**), int argc, char** argv,
                                 void (*init)(), void (*fini)(), void (*rtld_fini)(),
                                 void* stack_end) {
  using Start =
      int (*)(int (*)(int, char**, char**), int, char**, void (*)(), void (*)(), void (*)(), void*);
  auto start = reinterpret_cast<Start>(real::next("__libc_start_main"));
  real_main = main;
  if (controlled()) {
    fix_stack_protector();
    // Data that the loader left behind depends on the places of files and on the environment.
    wipe_stack_below(kLoaderDepth);
    clear_vectors();
    runtime->process.remember_arguments(argv);
    main_begins = true;
    remember_destructors(rtld_fini);
    streams::find_list();
    model_streams();
    rtld_fini = end_program;
  }
  return start(run_main, argc, argv, init, fini, rtld_fini, stack_end);
}

RFF_EXPORT void exit(int status) {
  if (controlled()) {
    end_place = runtime->code(RFF_CALLER);
    leave(status, end_place);
    let_others_run(end_place);
    if (runtime->process.host != nullptr) {
      runtime->process.host->program_exits();
    }
  }
  RFF_REAL(exit)(status);
  __builtin_unreachable();
}

RFF_EXPORT void _exit(int status) {
  if (controlled()) {
    leave(status, runtime->code(RFF_CALLER));
    let_others_run(runtime->code(RFF_CALLER));
    finish_run(status);
  }
  for (;;) {
    real::syscall6(SYS_exit_group, status);
  }
}

RFF_EXPORT void _Exit(int status) { _exit(status); }

RFF_EXPORT void abort() {
  if (checking_leaks) {
    end_leak_check();
  }
  if (controlled()) {
    if (signals::program_handles(SIGABRT)) {
      raise(SIGABRT);
    }
    runtime->run.findings.aborted(RFF_CALLER);
  }
  RFF_REAL(abort)();
  __builtin_unreachable();
}

RFF_EXPORT void __assert_fail(const char* assertion, const char* file, unsigned line,
                              const char* function) noexcept {
  std::string text = std::string(file) + ":" + std::to_string(line) + ": " +
                     (function != nullptr ? function : "?") + ": assertion `" + assertion +
                     "' failed";
  if (controlled()) {
    output_tee::writes(STDERR_FILENO, text.data(), text.size());
    output_tee::writes(STDERR_FILENO, "\n", 1);
    if (signals::program_handles(SIGABRT)) {
      raise(SIGABRT);
    }
    runtime->run.findings.assertion(text, runtime->code(RFF_CALLER));
  }
  text += "\n";
  real::syscall6(SYS_write, 2, reinterpret_cast<long>(text.data()), static_cast<long>(text.size()));
  RFF_REAL(abort)();
  __builtin_unreachable();
}
