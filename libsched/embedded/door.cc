#include "libsched/embedded/door.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>

#include "libsched/carrier/stacks.h"
#include "libsched/hook/process_start.h"
#include "libsched/interpose/interpose.h"
#include "libsched/interpose/process/children.h"
#include "libsched/interpose/sync/thread_table.h"
#include "libsched/libc/thread_descriptor.h"
#include "libsched/support/vector_state.h"

namespace rff::embedded {
namespace {

void copy_text(char* to, std::size_t room, std::string_view text) {
  std::size_t bytes = std::min(text.size(), room - 1);
  std::memcpy(to, text.data(), bytes);
  to[bytes] = 0;
}

}  // namespace

void put(std::string_view text) {
  while (!text.empty()) {
    long n = real::syscall6(SYS_write, STDERR_FILENO, reinterpret_cast<long>(text.data()),
                            static_cast<long>(text.size()));
    if (n <= 0) {
      return;
    }
    text.remove_prefix(static_cast<std::size_t>(n));
  }
}

void refuse(const char* what, const char* detail) {
  put("rff: ");
  put(what);
  put(detail);
  put("\n");
  for (;;) {
    real::syscall6(SYS_exit_group, 2);
  }
}

Kept& Door::kept() {
  if (kept_ == nullptr) {
    long at = real::syscall6(SYS_mmap, 0, sizeof(Kept), PROT_READ | PROT_WRITE,
                             MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at < 0) {
      panic("out of memory");
    }
    kept_ = new (reinterpret_cast<void*>(at)) Kept;
  }
  return *kept_;
}

void Door::start() {
  kept();
  made_ = make_runtime(this);
  runtime = made_;
  children::watch();
  made_->run.findings.set_control(*made_, made_->process.sanitizer);
  made_->process.modules.refresh();
  made_->process.prepare_embedded();
  made_->process.publish_modules();
  handle_faults();
  x87_in_use();  // asks the processor what it has, which takes long
  runtime = nullptr;
  modules_ = made_->process.modules.all().size();
  image_.save();
}

void Door::begin(const rff_schedule& given, const void* frame) {
  if (made_ == nullptr) {
    start();
  } else if (used_) {
    bool more_modules = made_->process.modules.all().size() != modules_;
    image_.restore();
    if (more_modules) {
      runtime = made_;
      thread_descriptors().forget_variables();
      made_->process.modules.refresh();
      made_->process.publish_modules();
      thread_descriptors().remember_variables();
      runtime = nullptr;
      modules_ = made_->process.modules.all().size();
      image_.save();
    }
  }
  // A function may leave vector registers as it likes. Unused ones need not be saved at switches.
  clear_vectors();
  used_ = running_ = true;
  Thread& main = made_->run.execution.current();
  main.carried->handle = pthread_self();
  main.stack_low = reinterpret_cast<std::uint64_t>(frame) - (std::uint64_t{8} << 20);
  kept_->given = given;
  Schedule schedule = schedule_of(given);
  runtime = made_;
  on_runtime_stack([&] { made_->begin_embedded_run(schedule); });
  kept_->facts = {};
  known_thread = true;
}

// Threads that the body has left: see RFF_LEFT_….
void Door::await_others(int left, const void* caller) {
  Execution& execution = made_->run.execution;
  if (execution.live() <= 1) {
    return;
  }
  if (left == RFF_LEFT_ABANDON) {
    leave_threads();
    return;
  }
  if (left == RFF_LEFT_FAIL) {
    std::string words = "the body returned while threads had not ended:";
    for (const Thread* t : execution.threads()) {
      if (t->index != 0 && !t->attendant && t->state != ThreadState::kEnded) {
        words += " " + std::string(t->name);
      }
    }
    made_->run.findings.assertion(words, made_->code(caller));
  }
  for (std::size_t i = 1; i < execution.threads().size(); ++i) {
    if (!execution.threads()[i]->attendant) {
      await_end(*execution.threads()[i], caller);
    }
  }
}

void Door::end() {
  known_thread = false;
  Execution& execution = made_->run.execution;
  if (!made_->run.findings.found()) {
    made_->finish_run(0);
  }
  fill_facts(made_->run.findings.found());
  // A run may fail at the end of a thread, which is the current one then and left like the others.
  for (std::size_t i = 1; i < execution.threads().size(); ++i) {
    Thread& t = *execution.threads()[i];
    if (t.state == ThreadState::kEnded && &t != &execution.current()) {
      release_thread(t);
    }
  }
  for (PatchedModule* m : made_->process.modules.patched()) {
    m->disconnect();
  }
  stacks().end_run();
  end_generation();
  runtime = nullptr;
  running_ = false;
}

void Door::fill_facts(bool failed) {
  const RunRecord& record = made_->process.shared->run;
  rff_facts& facts = kept_->facts;
  facts.events = record.events;
  facts.decisions = record.decisions.size();
  facts.switches = record.switches;
  facts.threads = record.threads;
  facts.reads_from = record.rf_combination;
  facts.trace = record.trace_hash;
  facts.feature_count = record.map_places.size();
  facts.features =
      record.map_places.items + std::size(record.map_places.items) - facts.feature_count;
  facts.kind = !failed ? nullptr
               : record.outcome.load() == RunOutcome::kDiverged
                   ? "diverged"
                   : finding_name(record.finding).data();
  facts.report = failed ? kept_->report : nullptr;
}

namespace {

// Calls the body. The names of its variables on the stack count from here, whoever made the run, so
// they are the same in runs that the program makes and under rff-fuzz.
__attribute__((noinline)) int call_body(int (*body)(void*), void* argument) {
  Thread& t = runtime->run.execution.current();
  runtime->run.locations.remove_stack(t);
  t.stack_high = reinterpret_cast<std::uint64_t>(__builtin_frame_address(0));
  runtime->run.locations.add_stack(t);
  return body(argument);
}

}  // namespace

int Door::run(const rff_schedule& given, int (*body)(void*), void* argument, const void* caller) {
  if (runtime != nullptr && runtime->process.host == nullptr) {
    return controlled() ? call_body(body, argument) : body(argument);  // the program has a schedule
  }
  if (running_) {
    refuse("rff_run was called while a run goes on: ",
           "make one after the other, none inside another");
  }
  static const bool twice = StateCheck::wanted();
  return twice ? run_twice(given, body, argument, caller) : run_once(given, body, argument, caller);
}

int Door::run_twice(const rff_schedule& given, int (*body)(void*), void* argument,
                    const void* caller) {
  int result = run_once(given, body, argument, caller);
  if (result == RFF_FAILED || result == RFF_REJECTED) {
    return result;
  }
  const RunRecord& record = made_->process.shared->run;
  kept_->check.remember(record);
  result = run_once(given, body, argument, caller);
  std::string difference = kept_->check.difference(record, made_->process.modules);
  if (difference.empty()) {
    return result;
  }
  return fail_ended_run("state",
                        difference + "\n  replay: RFF_CHECK_STATE=1 RFF_REPLAY=" + rff_last_text());
}

// For a run that has ended by itself and is a failure all the same.
int Door::fail_ended_run(const char* kind, const std::string& words) {
  kept_->facts.kind = kind;
  tell(std::string("rff: ") + kind + ": " + words + "\n");
  if (kept_->callback == nullptr || !kept_->abandons) {
    RFF_REAL(abort)();
  }
  return RFF_FAILED;
}

int Door::run_once(const rff_schedule& given, int (*body)(void*), void* argument,
                   const void* caller) {
  begin(given, __builtin_frame_address(0));
  caller_ = made_->code(caller);
  // A jump back here leaves the run, wherever it is.
  if (__builtin_setjmp(way_out_) != 0) {
    Door& self = door();
    if (self.dies_by_ != 0) {
      self.die();
    }
    bool rejected = (self.made_->process.shared->run.flags & kDiscarded) != 0;
    self.end();
    return rejected ? RFF_REJECTED : RFF_FAILED;
  }
  int result = call_body(body, argument);
  await_others(given.left, caller);
  end();
  const RunRecord& record = made_->process.shared->run;
  if (record.outcome.load() == RunOutcome::kDiverged) {
    return fail_ended_run("diverged", "decision " + std::to_string(record.divergence.decision + 1) +
                                          " of the schedule could not be followed: it belongs to "
                                          "another body or another build");
  }
  if (kept_->after_run != nullptr) {
    kept_->after_run(&kept_->facts);
  }
  return result;
}

// Checks that threads can be left where they are.
void Door::leave_threads() {
  if (!made_->process.carrier().ends_threads_itself()) {
    refuse("RFF_END_STOP and RFF_LEFT_ABANDON need fibers, and here threads are kernel threads: ",
           made_->process.shared->carrier_reason.text);
  }
}

void Door::leave_run() {
  leave_threads();
  std::uint64_t descriptor = made_->run.execution.threads().front()->carried->handle;
  asm volatile("wrfsbase %0" : : "r"(descriptor));
  now_on_runtime_stack = false;
  arena_in_use = Arena::kMain;
  __builtin_longjmp(way_out_, 1);
}

void Door::report_finding() {
  known_thread = false;
  fill_facts(true);
  tell(finding_report(*made_));
}

// Gives the report to the program, or prints it.
void Door::tell(const std::string& report) {
  copy_text(kept_->report, Kept::kMostReport, report);
  kept_->facts.report = kept_->report;
  if (kept_->callback != nullptr) {
    kept_->abandons = false;
    kept_->callback(&kept_->facts, kept_->callback_argument);
  } else {
    put(report);
  }
}

void Door::run_failed(int signal) {
  report_finding();
  bool on_fiber = made_->process.carrier().ends_threads_itself();
  bool in_main = made_->run.execution.current().index == 0;
  if (kept_->callback != nullptr && kept_->abandons) {
    if (on_fiber) {
      handle_faults();
      leave_run();
    }
    put(kept_->report);  // kernel threads cannot be left where they are
  }
  dies_by_ = signal;
  if (on_fiber && !in_main) {
    leave_run();  // handlers of the process expect a stack and variables that the kernel knows
  }
  if (in_handler_) {
    runtime = nullptr;
    __builtin_longjmp(to_handler_, 1);
  }
  die();
}

// Ends the process as it would end without RFF: its handlers see the signal.
void Door::die() {
  runtime = nullptr;
  known_thread = false;
  if (dies_by_ != SIGABRT) {
    real::syscall6(SYS_tgkill, real::syscall6(SYS_getpid), real::syscall6(SYS_gettid), dies_by_);
  }
  RFF_REAL(abort)();
  __builtin_unreachable();
}

void Door::program_exits() {
  known_thread = false;
  runtime = nullptr;
}

Door& door() {
  alignas(kOnBusyPage) static Door all;
  return all;
}

}  // namespace rff::embedded

using namespace rff;
using namespace rff::embedded;

RFF_EXPORT int rff_run(const rff_schedule* schedule, int (*body)(void*), void* argument) {
  return door().run(*schedule, body, argument, RFF_CALLER);
}

RFF_EXPORT const rff_facts* rff_last_run() { return &door().kept().facts; }

RFF_EXPORT void rff_on_finding(void (*callback)(const rff_facts*, void*), void* argument) {
  door().kept().callback = callback;
  door().kept().callback_argument = argument;
}

RFF_EXPORT void rff_after_run(void (*callback)(const rff_facts*)) {
  door().kept().after_run = callback;
}

RFF_EXPORT int rff_is_controlled() {
  return runtime != nullptr && runtime->process.host == nullptr ? 1 : 0;
}

RFF_EXPORT void rff_abandon() { door().kept().abandons = true; }
