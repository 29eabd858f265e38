#include "libsched/report/findings.h"

#include <dlfcn.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#include <cstdlib>
#include <set>
#include <string>

#include "libsched/report/program_frame.h"
#include "libsched/support/inside_runtime.h"
#include "libsched/support/real.h"
#include "libsched/support/words.h"

// Where a debugger stops: the program has just failed, and every thread is where it was.
extern "C" __attribute__((noinline)) void rff_finding_reached(const char* message) {
  asm volatile("" : : "r"(message));
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

void Findings::set_control(RunControl& control) {
  control_ = &control;
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

std::string Findings::code_text(CodeName c) const {
  for (const Module& m : modules_.all()) {
    if (m.hash == c.module) {
      auto slash = m.path.rfind('/');
      return (slash == std::string::npos ? m.path : m.path.substr(slash + 1)) + "+" + hex(c.offset);
    }
  }
  return hex(c.offset);
}

void Findings::trace_stack(const Thread& t, const StopContext& s) {
  constexpr std::uint64_t kMost = 1 << 16;
  constexpr std::uint64_t kMostMissing = 1 << 20;
  std::uint64_t high = t.stack_high > s.rsp ? t.stack_high : ~std::uint64_t{0};
  std::string bytes;
  std::uint64_t word = 0;
  std::uint64_t at = s.rsp & ~std::uint64_t{7};
  // The innermost frame of a stack that overflowed lies below it, where nothing is.
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
    if (t->state == ThreadState::kEnded && t != &failing) {
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
    info.holder = ~0u;
    info.blocked = PendingThreads::can_take_effect(*t) ? 0 : 1;
    info.waits_at = op.site;
    if (op.waits_for != nullptr && op.waits_for->holder != nullptr) {
      if (Thread* holder = op.waits_for->holder(op, &info.held_since)) {
        info.holder = holder->index;
      }
    }
    trace_.wait(info, op.waits_for != nullptr ? op.waits_for->text : "");
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

void Findings::report(FindingKind kind, CodeName place, const std::string& message, int signal,
                      const StopContext& where, std::uint64_t address) {
  control_->start_run();  // a program that fails before its first thread fails in every run
  Thread& t = thread_at(where.rsp);
  if (trace_.enabled()) {
    trace_threads(t, where);
    trace::OutcomeInfo info{};
    info.outcome = static_cast<std::uint32_t>(RunOutcome::kFinding);
    info.finding = static_cast<std::uint32_t>(kind);
    info.thread = t.index;
    info.signal = static_cast<std::uint32_t>(signal);
    info.address = address;
    info.place = place;
    info.steps = execution_.steps;
    info.trace_hash = accesses_.trace_hash();
    trace_.outcome(info, message);
    trace_.flush();
  }
  if (record_ != nullptr) {
    record_->finding = kind;
    record_->place = place;
    record_->message.set(message);
    record_->outcome.store(RunOutcome::kFinding);
  }
  found_ = true;
  rff_finding_reached(message.c_str());
  control_->finish_run(0);
  die(signal);
}

void Findings::assertion(std::string_view message, CodeName place) {
  StopContext s;
  capture(s);
  report(FindingKind::kAssert, place, std::string(message), SIGABRT, s);
}

namespace {

// How the C library keeps its last words, "free(): double free detected in tcache 2" for one.
struct LastWords {
  unsigned size;
  char text[];
};

std::string library_message(const void* kept) {
  const auto* last_words = static_cast<const LastWords* const*>(kept);
  std::string text = last_words != nullptr && *last_words != nullptr ? (*last_words)->text : "";
  while (!text.empty() && text.back() == '\n') {
    text.pop_back();
  }
  return text;
}

std::string signal_text(int signal) {
  const char* name = sigabbrev_np(signal);
  return std::string("SIG") + (name != nullptr ? name : "?");
}

bool has_address(int signal) { return signal == SIGSEGV || signal == SIGBUS; }

}  // namespace

void Findings::crashed(int signal, const StopContext& where, std::uint64_t address,
                       bool stack_overflow, bool in_runtime) {
  std::uint64_t rip = where.rip;
  std::uint64_t place = modules_.original_code(rip);
  std::string message = signal_text(signal);
  if (stack_overflow) {
    message += " (stack overflow)";
  }
  std::string words = signal == SIGABRT ? library_message(last_words_) : "";
  if (!words.empty()) {
    message += " (" + words + ")";
  }
  if (rip == address && has_address(signal)) {
    std::uint64_t caller = 0;
    message += " by a call of " + hex(address);
    if (probe_word(where.rsp, &caller) && is_program_code(modules_, caller)) {
      place = caller - 1;
    }
  } else if (!is_program_code(modules_, rip)) {
    std::uint64_t frame = program_frame(modules_);
    if (frame != 0) {
      message += in_runtime ? "" : " in " + code_text(modules_.name(rip));
      place = frame;
    } else if (thread_at(where.rsp).state == ThreadState::kEnded) {
      // The C library frees what the thread had kept for itself: carriers do that in other ways.
      place = reinterpret_cast<std::uint64_t>(RFF_REAL(free));
    }
  }
  CodeName name = modules_.name(place);
  if (has_address(signal) && rip != address) {
    message += ", address " + hex(address);
  }
  report(FindingKind::kCrash, name, message, signal, where, address);
}

namespace {

// What std::terminate was called for, if it was for an exception.
std::string uncaught_exception() {
  using CurrentType = const void* (*)();
  using Demangle = char* (*)(const char*, char*, std::size_t*, int*);
  auto current =
      reinterpret_cast<CurrentType>(::dlsym(RTLD_DEFAULT, "__cxa_current_exception_type"));
  auto demangle = reinterpret_cast<Demangle>(::dlsym(RTLD_DEFAULT, "__cxa_demangle"));
  const void* type = current != nullptr ? current() : nullptr;
  if (type == nullptr) {
    return "";
  }
  const char* name = static_cast<const char* const*>(type)[1];
  name += *name == '*' ? 1 : 0;
  const char* readable = demangle != nullptr ? demangle(name, nullptr, nullptr, nullptr) : nullptr;
  return std::string("uncaught exception ") + (readable != nullptr ? readable : name);
}

}  // namespace

void Findings::aborted(const void* caller) {
  StopContext s;
  capture(s);
  auto address = reinterpret_cast<std::uint64_t>(caller) - 1;
  std::string what = "abort called";
  if (!is_program_code(modules_, address)) {
    InsideRuntime guard;
    std::string exception = uncaught_exception();
    what = exception.empty() ? what + " in " + code_text(modules_.name(address)) : exception;
    std::uint64_t frame = program_frame(modules_);
    address = frame != 0 ? frame : address;
  }
  CodeName place = modules_.name(address);
  report(FindingKind::kCrash, place, what, SIGABRT, s);
}

void Findings::heap_damaged(int signal, const char* words, const void* function) {
  StopContext s;
  capture(s);
  CodeName place = modules_.name(reinterpret_cast<std::uint64_t>(function));
  const char* name = sigabbrev_np(signal);
  report(FindingKind::kCrash, place, std::string("SIG") + name + " (" + words + ")", signal, s);
}

void Findings::bad_exit(int status, CodeName place) {
  StopContext s;
  capture(s);
  report(FindingKind::kExit, place, "exit status " + std::to_string(status), SIGABRT, s);
}

void Findings::ended_by_signal(int signal) {
  control_->start_run();
  control_->finish_run(128 + signal);
  die(signal);
}

void Findings::deadlock() {
  StopContext s;
  capture(s);
  std::string text;
  std::string joiners;  // last: they only wait for the others
  CodeName place;
  bool place_joins = false;
  for (Thread* t : execution_.threads()) {
    if (t->state == ThreadState::kEnded || t->pending == nullptr) {
      continue;
    }
    const Operation& op = *t->pending;
    // One deadlock, one place, whoever came last: the first wait in the code, joins only if there
    // is nothing else.
    bool joins = op.op == OpKind::kThreadJoin;
    if (place == CodeName{} || (place_joins && !joins) ||
        (place_joins == joins && op.site < place)) {
      place = op.site;
      place_joins = joins;
    }
    CodeName since;
    Thread* holder = op.waits_for != nullptr && op.waits_for->holder != nullptr
                         ? op.waits_for->holder(op, &since)
                         : nullptr;
    std::string wait = "thread " + t->name + " waits for ";
    if (joins && holder != nullptr) {
      joiners += "; " + wait + "thread " + holder->name + " to end, in " + code_text(op.site);
      continue;
    }
    wait += std::string(op.waits_for != nullptr ? op.waits_for->text : "?") + " in " +
            code_text(op.site);
    if (holder != nullptr) {
      wait += (holder == t ? std::string(", which it holds itself")
                           : ", held by thread " + holder->name) +
              (since == CodeName{} ? "" : " since " + code_text(since));
    }
    text += "; " + wait;
  }
  text += joiners;
  text = "deadlock" + (text.empty() ? text : ": " + text.substr(2));
  report(FindingKind::kDeadlock, place, text, SIGABRT, s);
}

// What a spinning thread reads again and again.
std::string Findings::repeated_reads(const Thread& t) const {
  const SpinWatch& watch = t.memory->watch;
  std::set<CodeName> sites;
  for (int i = 0; t.spin.spinning && i < watch.count && i < SpinWatch::kEntries; ++i) {
    std::uint32_t code = watch.entries[i].code;
    if (watch.entries[i].rounds >= SpinWatch::kRounds && watch.entries[i].address != 0) {
      std::uint64_t address = watch.entries[i].address;
      sites.insert(events_.describe(code, address, OpKind::kRead).site);
    }
  }
  if (t.pending != nullptr && sites == std::set<CodeName>{t.pending->site}) {
    return "";  // said already
  }
  std::string text;
  for (CodeName site : sites) {
    text += (text.empty() ? " (reads the same at " : ", ") + code_text(site);
  }
  return text.empty() ? "" : text + ")";
}

void Findings::hang() {
  StopContext s;
  capture(s);
  std::string text;
  CodeName place;
  for (Thread* t : execution_.threads()) {
    if (t->state == ThreadState::kEnded || t->pending == nullptr ||
        !PendingThreads::can_take_effect(*t)) {
      continue;
    }
    if (place == CodeName{}) {
      place = t->pending->site;
    }
    text += text.empty() ? "hang: no progress in " : "; ";
    text += "thread " + t->name + " in " + code_text(t->pending->site);
    text += repeated_reads(*t);
  }
  report(FindingKind::kHang, place, text, SIGABRT, s);
}

void Findings::gave_up() {
  StopContext s;
  capture(s);
  if (trace_.enabled()) {
    trace_threads(execution_.current(), s);
  }
  control_->finish_run(0);
  die(SIGABRT);
}

void Findings::diverged(std::size_t index, const Decision& expected, const Thread* seen,
                        std::size_t enabled) {
  std::string text = "decision " + std::to_string(index + 1) + " cannot be followed: thread " +
                     std::to_string(expected.thread) +
                     (seen == nullptr ? " cannot run here" : " is about to do something else");
  trace::DivergenceInfo info{};
  info.decision = index;
  info.step = execution_.steps;
  info.expected_thread = expected.thread;
  info.seen_thread = seen != nullptr ? seen->index : ~0u;
  info.check = expected.check & 0x7fff;
  info.enabled = static_cast<std::uint32_t>(enabled);
  for (const Thread* t : execution_.threads()) {
    if (t->index == expected.thread && t->pending != nullptr) {
      info.pending = t->pending->event;
    }
  }
  trace_.divergence(info, text);
  trace_.flush();  // the run may not end by itself any more
  if (record_ != nullptr) {
    record_->message.set(text);
    record_->outcome.store(RunOutcome::kDiverged);
  }
}

}  // namespace rff
