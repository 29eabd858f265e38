// Clocks and sleeps in virtual time with a fixed epoch. Reading a clock adds 1 µs (more if nothing
// else has happened for long, see Progress::clock_step); otherwise time jumps to the nearest
// deadline when no thread can run.
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/times.h>
#include <sys/timex.h>
#include <time.h>
#include <unistd.h>

#include "libsched/interpose/interpose.h"
#include "libsched/interpose/process/identity.h"
#include "libsched/interpose/process/machine.h"
#include "libsched/interpose/time/timestamp.h"
#include "libsched/interpose/time/virtual_timer.h"

namespace rff {
namespace {

using machine::kBoot;  // start of the monotonic clocks
using machine::kSecond;
std::uint64_t epoch = machine::kEpoch;  // start of the real-time clocks

std::uint64_t origin(int clock) {
  if (clock < 0 || clock == CLOCK_PROCESS_CPUTIME_ID || clock == CLOCK_THREAD_CPUTIME_ID) {
    return 0;
  }
  return clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE || clock == CLOCK_TAI ? epoch
                                                                                         : kBoot;
}

std::uint64_t read_clock(int clock) {
  runtime->run.execution.now += runtime->run.execution.progress.clock_step();
  return origin(clock) + runtime->run.execution.now;
}

bool never(const Operation&) { return false; }
constexpr WaitRule kTime = {never, nullptr, WaitObject::kTime, true};
char all_sleepers;  // one wait key for all of them

// The clock id of a process or thread contains its number: 29 bits, inverted, then 3 for the kind.
bool own_cpu_clock(clockid_t clock) {
  return clock < 0 && (clock & 3) != 3 && identity::own_thread(~(clock >> 3));
}

bool known_clock(clockid_t clock) {
  return (clock >= CLOCK_REALTIME && clock <= CLOCK_TAI) || own_cpu_clock(clock);
}

}  // namespace

std::uint64_t read_timestamp() { return read_clock(CLOCK_MONOTONIC); }

std::uint64_t virtual_deadline(int clock, const timespec* absolute) {
  std::uint64_t at = nanoseconds(*absolute);
  std::uint64_t from = origin(clock);
  return absolute->tv_sec < 0 || at <= from ? 0 : at - from;
}

std::uint64_t virtual_after(const timespec& duration) {
  return runtime->run.execution.now + nanoseconds(duration);
}

std::uint64_t sleep_until(std::uint64_t deadline, const void* caller) {
  cancellation_point();
  Operation op = operation(OpKind::kSleep, nullptr, caller);
  op.waits_for = &kTime;
  op.state = &all_sleepers;
  op.deadline = deadline;
  op.cancellable = true;
  op.on_signal = Interruption::kAlways;
  runtime->run.execution.perform(op);
  if (!op.timed_out) {
    cancellation_point();
  }
  // Uses `op`, not the parameter, which would stay on the program's stack, where its value differs
  // between iterations of a loop.
  return op.interrupted && op.deadline > runtime->run.execution.now
             ? op.deadline - runtime->run.execution.now
             : 0;
}

}  // namespace rff

using namespace rff;

// CPU-time clocks of threads and processes advance like all others, so that measurements of a
// program repeat.
RFF_EXPORT int clock_gettime(clockid_t clock, timespec* t) noexcept {
  if (!controlled()) {
    if (auto real = RFF_REAL_IF_KNOWN(clock_gettime); real != nullptr) {
      return real(clock, t);
    }
    long error = real::syscall6(SYS_clock_gettime, clock, reinterpret_cast<long>(t));
    return error == 0 ? 0 : failed(static_cast<int>(-error));
  }
  if (!known_clock(clock)) {
    return failed(EINVAL);
  }
  *t = to_timespec(read_clock(clock));
  return 0;
}

// A program under test sets its own clock, never the machine's.
RFF_EXPORT int clock_settime(clockid_t clock, const timespec* t) noexcept {
  if (!controlled()) {
    return RFF_REAL(clock_settime)(clock, t);
  }
  if (clock != CLOCK_REALTIME || !valid_nanoseconds(t) || t->tv_sec < 0) {
    return failed(EINVAL);
  }
  if (geteuid() != 0) {
    return failed(EPERM);
  }
  epoch = nanoseconds(*t) - runtime->run.execution.now;
  return 0;
}

RFF_EXPORT int settimeofday(const timeval* t, const struct timezone* zone) noexcept {
  if (!controlled()) {
    return RFF_REAL(settimeofday)(t, zone);
  }
  timespec wanted = {t != nullptr ? t->tv_sec : -1, t != nullptr ? t->tv_usec * 1000 : 0};
  return zone != nullptr ? failed(EPERM) : clock_settime(CLOCK_REALTIME, &wanted);
}

RFF_EXPORT int adjtime(const timeval* delta, timeval* left) noexcept {
  if (!controlled()) {
    return RFF_REAL(adjtime)(delta, left);
  }
  if (left != nullptr) {
    *left = {};
  }
  return delta != nullptr ? failed(EPERM) : 0;
}

RFF_EXPORT int clock_adjtime(clockid_t clock, timex* state) noexcept {
  if (!controlled()) {
    return RFF_REAL(clock_adjtime)(clock, state);
  }
  if (clock != CLOCK_REALTIME || state->modes != 0) {
    return failed(EPERM);
  }
  *state = {};
  std::uint64_t now = read_clock(CLOCK_REALTIME);
  state->time = {static_cast<time_t>(now / kSecond),
                 static_cast<suseconds_t>(now % kSecond / 1000)};
  return TIME_OK;
}

RFF_EXPORT int adjtimex(timex* state) noexcept {
  return controlled() ? clock_adjtime(CLOCK_REALTIME, state) : RFF_REAL(adjtimex)(state);
}
RFF_EXPORT int ntp_adjtime(timex* state) noexcept { return adjtimex(state); }

RFF_EXPORT int clock_getres(clockid_t clock, timespec* t) noexcept {
  if (!controlled()) {
    return RFF_REAL(clock_getres)(clock, t);
  }
  if (!known_clock(clock)) {
    return failed(EINVAL);
  }
  if (t != nullptr) {
    *t = {0, 1};
  }
  return 0;
}

RFF_EXPORT int clock_getcpuclockid(pid_t process, clockid_t* clock) noexcept {
  if (!controlled() || (process != 0 && process != identity::kProcess)) {
    return RFF_REAL(clock_getcpuclockid)(process, clock);
  }
  constexpr clockid_t kScheduled = 2;  // time that the process has run, as in the C library
  *clock = static_cast<clockid_t>(~static_cast<unsigned>(process) << 3) | kScheduled;
  return 0;
}

RFF_EXPORT int timespec_get(timespec* t, int base) noexcept {
  if (!controlled()) {
    return RFF_REAL(timespec_get)(t, base);
  }
  if (base != TIME_UTC) {
    return 0;
  }
  *t = to_timespec(read_clock(CLOCK_REALTIME));
  return base;
}

RFF_EXPORT int gettimeofday(timeval* t, void* zone) noexcept {
  if (!controlled()) {
    return RFF_REAL(gettimeofday)(t, zone);
  }
  if (t != nullptr) {
    std::uint64_t ns = read_clock(CLOCK_REALTIME);
    *t = {static_cast<time_t>(ns / kSecond), static_cast<suseconds_t>(ns % kSecond / 1000)};
  }
  return 0;
}

RFF_EXPORT time_t time(time_t* t) noexcept {
  if (!controlled()) {
    return RFF_REAL(time)(t);
  }
  auto seconds = static_cast<time_t>(read_clock(CLOCK_REALTIME) / kSecond);
  if (t != nullptr) {
    *t = seconds;
  }
  return seconds;
}

RFF_EXPORT clock_t clock() noexcept {
  if (!controlled()) {
    return RFF_REAL(clock)();
  }
  read_clock(CLOCK_PROCESS_CPUTIME_ID);
  return static_cast<clock_t>(runtime->run.execution.now / (kSecond / CLOCKS_PER_SEC));
}

RFF_EXPORT clock_t times(tms* t) noexcept {
  if (!controlled()) {
    return RFF_REAL(times)(t);
  }
  constexpr std::uint64_t kTick = kSecond / 100;
  auto ticks = static_cast<clock_t>(read_clock(CLOCK_MONOTONIC) / kTick);
  if (t != nullptr) {
    *t = {ticks, 0, 0, 0};
  }
  return ticks;
}

RFF_EXPORT int getrusage(__rusage_who_t who, rusage* usage) noexcept {
  int result = RFF_REAL(getrusage)(who, usage);
  if (result == 0 && controlled()) {
    std::uint64_t ns = read_clock(CLOCK_PROCESS_CPUTIME_ID);
    *usage = {};
    usage->ru_utime = {static_cast<time_t>(ns / kSecond),
                       static_cast<suseconds_t>(ns % kSecond / 1000)};
  }
  return result;
}

RFF_EXPORT int nanosleep(const timespec* duration, timespec* left) {
  if (!controlled()) {
    return RFF_REAL(nanosleep)(duration, left);
  }
  if (!valid_nanoseconds(duration) || duration->tv_sec < 0) {
    return failed(EINVAL);
  }
  std::uint64_t rest = sleep_until(virtual_after(*duration), RFF_CALLER);
  if (rest > 0 && left != nullptr) {
    *left = to_timespec(rest);
  }
  return rest > 0 ? failed(EINTR) : 0;
}

RFF_EXPORT int clock_nanosleep(clockid_t clock, int flags, const timespec* t, timespec* left) {
  if (!controlled()) {
    return RFF_REAL(clock_nanosleep)(clock, flags, t, left);
  }
  if (!known_clock(clock) || clock == CLOCK_THREAD_CPUTIME_ID || !valid_nanoseconds(t) ||
      t->tv_sec < 0) {
    return EINVAL;
  }
  bool absolute = (flags & TIMER_ABSTIME) != 0;
  std::uint64_t rest =
      sleep_until(absolute ? virtual_deadline(clock, t) : virtual_after(*t), RFF_CALLER);
  if (rest > 0 && left != nullptr && !absolute) {
    *left = to_timespec(rest);
  }
  return rest > 0 ? EINTR : 0;
}

RFF_EXPORT int usleep(useconds_t us) {
  if (!controlled()) {
    return RFF_REAL(usleep)(us);
  }
  return sleep_until(runtime->run.execution.now + us * 1000ULL, RFF_CALLER) > 0 ? failed(EINTR) : 0;
}

RFF_EXPORT unsigned sleep(unsigned seconds) {
  if (!controlled()) {
    return RFF_REAL(sleep)(seconds);
  }
  std::uint64_t rest = sleep_until(runtime->run.execution.now + seconds * kSecond, RFF_CALLER);
  return static_cast<unsigned>((rest + kSecond - 1) / kSecond);
}
