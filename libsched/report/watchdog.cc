#include "libsched/report/watchdog.h"

#include <pthread.h>
#include <signal.h>
#include <time.h>
#include <ucontext.h>

#include "libsched/report/endless_loop.h"
#include "libsched/support/arena.h"
#include "libsched/support/real.h"

extern "C" __attribute__((visibility("hidden"))) void rff_end_of_tick();
asm(R"(
  .text
  .hidden rff_end_of_tick
  .globl rff_end_of_tick
  .type rff_end_of_tick, @function
  nop
rff_end_of_tick:
  movq $15, %rax
  syscall
  .size rff_end_of_tick, . - rff_end_of_tick
)");

namespace rff::watchdog {
namespace {

constexpr long kTick = 250'000'000;  // nanoseconds of processor time between two ticks
constexpr int kQuietTicks = 4;       // ticks without an event before the thread is followed

// Counters of a run's activity.
struct Account {
  std::uint64_t events = 0, decisions = 0, looks_outside = 0;
  bool operator==(const Account&) const = default;
};

struct alignas(kOnBusyPage) State {
  Findings* findings = nullptr;
  Execution* execution = nullptr;
  const Modules* modules = nullptr;
  bool given_up = false;
  bool looking = false;
  std::uint32_t limit = 0;  // milliseconds that the run may take; 0: any number
  std::uint64_t end = 0;    // its deadline; 0: not known yet
  int quiet_ticks = 0;
  Account last;
} state;

std::uint64_t milliseconds() {
  timespec t = {};
  real::syscall6(SYS_clock_gettime, CLOCK_MONOTONIC, reinterpret_cast<long>(&t));
  return static_cast<std::uint64_t>(t.tv_sec) * 1000 +
         static_cast<std::uint64_t>(t.tv_nsec) / 1'000'000;
}

bool out_of_time() {
  if (state.limit == 0) {
    return false;
  }
  std::uint64_t now = milliseconds();
  state.end = state.end == 0 ? now + state.limit : state.end;
  return now > state.end;
}

bool without_events() { return state.quiet_ticks >= kQuietTicks; }

// Some emulators enter handlers with a misaligned stack.
__attribute__((force_align_arg_pointer)) void on_tick(int, siginfo_t*, void* context) {
  if (state.given_up || state.findings->over()) {
    return;
  }
  if (state.execution->current().carried->handle != pthread_self()) {
    return;  // the current thread is about to wait, or to end
  }
  Account now{state.execution->steps, state.execution->progress.decisions(),
              state.execution->progress.looks_outside()};
  state.quiet_ticks = now == state.last ? state.quiet_ticks + 1 : 0;
  state.last = now;
  auto* registers = static_cast<ucontext_t*>(context);
  if (out_of_time()) {
    auto rip = static_cast<std::uint64_t>(registers->uc_mcontext.gregs[REG_RIP]);
    state.findings->unresponsive(rip, without_events());
  }
  if (state.quiet_ticks == kQuietTicks) {
    endless_loop::follow(*state.execution, *state.modules, *registers);
  }
}

}  // namespace

void install(Findings& findings, Execution& execution, const Modules& modules) {
  state.findings = &findings;
  state.execution = &execution;
  state.modules = &modules;
  // Bypasses the C library: the handler must return through code of the runtime (outside_watch.h).
  constexpr unsigned long kRestorer = 0x04000000;
  struct {
    void (*handler)(int, siginfo_t*, void*);
    unsigned long flags;
    void (*restorer)();
    std::uint64_t mask;
  } action = {on_tick, SA_SIGINFO | SA_ONSTACK | SA_RESTART | kRestorer, rff_end_of_tick, 0};
  real::syscall6(SYS_rt_sigaction, kSignal, reinterpret_cast<long>(&action), 0, sizeof action.mask);
}

void start_run(std::uint32_t timeout_ms) {
  if (state.given_up || state.findings == nullptr) {
    return;
  }
  state.quiet_ticks = 0;
  state.limit = timeout_ms;
  state.end = 0;
  if (!state.looking) {
    keep_looking();
  }
}

void keep_looking() {
  if (state.given_up || state.findings == nullptr) {
    return;
  }
  state.looking = true;
  sigevent event = {};
  event.sigev_notify = SIGEV_SIGNAL;
  event.sigev_signo = kSignal;
  int timer = 0;
  const itimerspec every = {{0, kTick}, {0, kTick}};
  if (real::syscall6(SYS_timer_create, CLOCK_PROCESS_CPUTIME_ID, reinterpret_cast<long>(&event),
                     reinterpret_cast<long>(&timer)) == 0) {
    real::syscall6(SYS_timer_settime, timer, 0, reinterpret_cast<long>(&every), 0);
  }
}

void give_signal_up() { state.given_up = true; }

void check_time() {
  if (!state.given_up && state.findings != nullptr && out_of_time()) {
    state.findings->unresponsive(0, false);
  }
}

}  // namespace rff::watchdog
