#include "libsched/report/findings.h"

#include <dlfcn.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#include <string>

#include "libsched/report/stack_walk.h"
#include "libsched/support/real.h"
#include "libsched/support/runtime_stack.h"
#include "libsched/support/words.h"

// Debuggers set a breakpoint here: the program has just failed, and no thread has moved. `words`:
// the program's own message, if any.
extern "C" __attribute__((noinline)) void rff_finding_reached(const char* words) {
  asm volatile("" : : "r"(words));
}

namespace rff {

Findings::Findings(Execution& execution, Accesses& accesses, const EventTable& events,
                   const Locations& locations, const Modules& modules, TraceWriter& trace)
    : execution_(execution),
      accesses_(accesses),
      events_(events),
      locations_(locations),
      modules_(modules),
      trace_(trace) {}

void Findings::set_control(RunControl& control, const Sanitizer& sanitizer) {
  control_ = &control;
  sanitizer_ = &sanitizer;
  last_words_ = ::dlsym(RTLD_DEFAULT, "__abort_msg");
}

std::string hex(std::uint64_t v) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  do {
    text.insert(text.begin(), kDigits[v & 15]);
    v >>= 4;
  } while (v != 0);
  return "0x" + text;
}

void Findings::trace_stack(const Thread& t, const StopContext& s) {
  constexpr std::uint64_t kMost = 1 << 16;
  constexpr std::uint64_t kMostMissing = 1 << 20;
  std::uint64_t high = t.stack_high > s.rsp ? t.stack_high : ~std::uint64_t{0};
  std::string bytes;
  std::uint64_t word = 0;
  std::uint64_t at = s.rsp & ~std::uint64_t{7};
  // Skips unmapped pages: the innermost frame of an overflowed stack lies below the mapping.
  while (at < high && bytes.size() < kMostMissing && !probe_word(at, &word)) {
    std::uint64_t next = (at | 4095) + 1;
    bytes.append(next - at, '\0');
    at = next;
  }
  std::uint64_t end = high - at < kMost ? high : at + kMost;
  for (; at < end && probe_word(at, &word); at += 8) {
    bytes.append(reinterpret_cast<const char*>(&word), 8);
  }
  trace::StackInfo info{t.index, 0,     s.rip, s.rsp & ~std::uint64_t{7}, s.rbp, s.rbx, s.r12,
                        s.r13,   s.r14, s.r15};
  trace_.stack(info, bytes.data(), bytes.size());
}

void Findings::trace_threads(const Thread& failing, const StopContext& where) {
  for (Thread* t : execution_.threads()) {
    if ((t->state == ThreadState::kEnded && t != &failing) || t->attendant) {
      continue;
    }
    trace_stack(*t, t == &failing ? where : t->carried->stop);
    if (t->pending == nullptr) {
      continue;
    }
    const Operation& op = *t->pending;
    trace::WaitInfo info{};
    info.thread = t->index;
    info.op = static_cast<std::uint32_t>(op.op);
    info.object = op.address;
    info.object_name = locations_.exact_name(op.address);
    info.waits_for = static_cast<std::uint32_t>(op.waits_for != nullptr ? op.waits_for->object
                                                                        : WaitObject::kNone);
    info.holder = kNoThread;
    info.blocked = PendingThreads::can_take_effect(*t) ? 0 : 1;
    info.waits_at = op.site;
    if (op.waits_for != nullptr && op.waits_for->holder != nullptr) {
      if (Thread* holder = op.waits_for->holder(op, &info.held_since)) {
        info.holder = holder->index;
      }
    }
    trace_.wait(info);
  }
}

Thread& Findings::thread_at(std::uint64_t rsp) {
  auto owns = [rsp](const Thread& t) { return rsp >= t.stack_low && rsp < t.carried->stack_top; };
  Thread& current = execution_.current();
  if (!owns(current)) {
    for (Thread* t : execution_.threads()) {
      if (t->state == ThreadState::kEnded && owns(*t)) {
        return *t;
      }
    }
  }
  return current;
}

void die(int signal) {
  // To nobody (EINVAL): tells the witness of runs in place, before anything that could not be
  // undone.
  real::syscall6(SYS_tgkill, 0, 0, signal);
  struct rlimit none = {0, 0};
  real::syscall6(SYS_prlimit64, 0, RLIMIT_CORE, reinterpret_cast<long>(&none), 0);
  struct sigaction action = {};
  action.sa_handler = SIG_DFL;
  RFF_REAL(sigaction)(signal, &action, nullptr);
  sigset_t one;
  sigemptyset(&one);
  sigaddset(&one, signal);
  real::syscall6(SYS_rt_sigprocmask, SIG_UNBLOCK, reinterpret_cast<long>(&one), 0, 8);
  real::syscall6(SYS_tgkill, real::syscall6(SYS_getpid), real::syscall6(SYS_gettid), signal);
  for (;;) {
    real::syscall6(SYS_exit_group, 126);
  }
}

void Findings::record_stack(const Thread& t, const StopContext& from) {
  static std::uint64_t frames[SharedStack::kMostFrames];
  SharedStack stack{};
  stack.thread = t.index;
  stack.count = static_cast<std::uint32_t>(
      from.rip != 0 ? walk_stack(modules_, from, frames, SharedStack::kMostFrames) : 0);
  for (std::uint32_t i = 0; i < stack.count; ++i) {
    stack.frames[i] = modules_.name(frames[i]);
  }
  record_->stacks.append(stack);
}

void Findings::record_stacks(FindingKind kind, const Thread& failing, const StopContext& where) {
  if (!fails_together(kind)) {
    record_stack(failing, where);
    return;
  }
  for (const SharedWait& w : record_->waits) {
    const Thread& t = *execution_.threads()[w.thread];
    record_stack(t, &t == &failing ? where : t.carried->stop);
  }
}

void Findings::report(FindingKind kind, CodeName place, const FailureRecord& failure,
                      const StopContext& where) {
  control_->start_run();  // a program that fails before its first thread fails in every run
  Thread& t = thread_at(where.rsp);
  if (trace_.enabled()) {
    trace_threads(t, where);
    trace::OutcomeInfo info{};
    info.outcome = static_cast<std::uint32_t>(RunOutcome::kFinding);
    info.finding = static_cast<std::uint32_t>(kind);
    info.thread = t.index;
    info.failure = failure.facts;
    info.place = place;
    info.steps = execution_.steps;
    info.trace_hash = accesses_.trace_hash();
    trace_.outcome(info, failure.words);
    trace_.flush();
  }
  if (record_ != nullptr) {
    record_->finding = kind;
    record_->place = place;
    record_->failure = failure.facts;
    record_->words.set(failure.words);
    if (!failure.report.empty()) {
      record_->report.set(failure.report);
    }
    if (failure.memory) {
      record_->memory_error = *failure.memory;
    }
    for (const SharedWait& w : failure.waits) {
      record_->waits.append(w);
    }
    for (const RepeatedRead& r : failure.repeated_reads) {
      record_->repeated_reads.append(r);
    }
    on_runtime_stack([&] { record_stacks(kind, t, where); });
    record_->outcome.store(RunOutcome::kFinding);
  }
  found_ = true;
  rff_finding_reached(failure.words.c_str());
  control_->finish_run(0);
  control_->end_process(failure.facts.signal != 0 ? failure.facts.signal : SIGABRT);
  __builtin_unreachable();
}

void Findings::assertion(std::string_view message, CodeName place) {
  StopContext s;
  capture(s);
  report(FindingKind::kAssert, place, {.words = std::string(message)}, s);
}

void Findings::bad_exit(int status, CodeName place) {
  StopContext s;
  capture(s);
  report(FindingKind::kExit, place, {.facts = {.exit_status = status}}, s);
}

void Findings::gave_up() {
  StopContext s;
  capture(s);
  if (trace_.enabled()) {
    trace_threads(execution_.current(), s);
  }
  control_->finish_run(0);
  control_->end_process(SIGABRT);
  __builtin_unreachable();
}

void Findings::rejected() {
  if (record_ != nullptr) {
    record_->flags |= kDiscarded;
  }
  control_->finish_run(0);
  control_->reject_run();
  __builtin_unreachable();
}

void Findings::diverged(std::size_t index, const Decision& expected, const Thread* seen,
                        std::size_t enabled) {
  trace::DivergenceInfo info{};
  info.decision = index;
  info.step = execution_.steps;
  info.expected_thread = expected.thread;
  info.seen_thread = seen != nullptr ? seen->index : kNoThread;
  info.check = expected.check.id_bits();
  info.enabled = static_cast<std::uint32_t>(enabled);
  for (const Thread* t : execution_.threads()) {
    if (t->index == expected.thread && t->pending != nullptr) {
      info.pending = t->pending->event;
    }
  }
  trace_.divergence(info);
  trace_.flush();  // the run may never end by itself
  if (record_ != nullptr) {
    record_->divergence = {
        index, expected.thread,
        seen == nullptr ? DivergenceCause::kCannotRun : DivergenceCause::kOtherEvent};
    record_->outcome.store(RunOutcome::kDiverged);
  }
}

}  // namespace rff
