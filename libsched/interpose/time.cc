// Clocks and sleeps in virtual time with a fixed epoch: a clock read adds 1 µs; otherwise time jumps to the nearest
// deadline when no thread can run.
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "libsched/interpose/interpose.h"

namespace rff {
namespace {

constexpr std::uint64_t kSecond = 1'000'000'000;
constexpr std::uint64_t kEpoch = 1'700'000'000ULL * kSecond;  // of the real-time clocks
constexpr std::uint64_t kBoot = 1'000ULL * kSecond;           // of the monotonic clocks

std::uint64_t origin(int clock) {
  return clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE || clock == CLOCK_TAI ? kEpoch : kBoot;
}

std::uint64_t nanoseconds(const timespec& t) {
  return static_cast<std::uint64_t>(t.tv_sec) * kSecond + static_cast<std::uint64_t>(t.tv_nsec);
}

timespec to_timespec(std::uint64_t ns) {
  return {static_cast<time_t>(ns / kSecond), static_cast<long>(ns % kSecond)};
}

std::uint64_t read_clock(int clock) {
  runtime->now += 1000;
  return origin(clock) + runtime->now;
}

bool never(const Operation&) { return false; }
constexpr WaitRule kTime = {never, nullptr, "time to pass"};

void sleep_until(std::uint64_t deadline, const void* caller) {
  Operation op = operation(OpKind::kSleep, nullptr, caller);
  op.waits_for = &kTime;
  op.deadline = deadline;
  cancellation_point();
  runtime->execution.perform(op);
  cancellation_point();
}

}  // namespace

std::uint64_t virtual_deadline(int clock, const timespec* absolute) {
  std::uint64_t at = nanoseconds(*absolute);
  std::uint64_t from = origin(clock);
  return absolute->tv_sec < 0 || at <= from ? 0 : at - from;
}

}  // namespace rff

using namespace rff;

RFF_EXPORT int clock_gettime(clockid_t clock, timespec* t) noexcept {
  if (!controlled()) {
    return RFF_REAL(clock_gettime)(clock, t);
  }
  *t = to_timespec(read_clock(clock));
  return 0;
}

RFF_EXPORT int gettimeofday(timeval* t, void* zone) noexcept {
  if (!controlled()) {
    return RFF_REAL(gettimeofday)(t, zone);
  }
  std::uint64_t ns = read_clock(CLOCK_REALTIME);
  *t = {static_cast<time_t>(ns / kSecond), static_cast<suseconds_t>(ns % kSecond / 1000)};
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

RFF_EXPORT int nanosleep(const timespec* duration, timespec* left) {
  if (!controlled()) {
    return RFF_REAL(nanosleep)(duration, left);
  }
  sleep_until(runtime->now + nanoseconds(*duration), RFF_CALLER);
  return 0;
}

RFF_EXPORT int clock_nanosleep(clockid_t clock, int flags, const timespec* t, timespec* left) {
  if (!controlled()) {
    return RFF_REAL(clock_nanosleep)(clock, flags, t, left);
  }
  sleep_until((flags & TIMER_ABSTIME) != 0 ? virtual_deadline(clock, t) : runtime->now + nanoseconds(*t), RFF_CALLER);
  return 0;
}

RFF_EXPORT int usleep(useconds_t us) {
  if (!controlled()) {
    return RFF_REAL(usleep)(us);
  }
  sleep_until(runtime->now + us * 1000ULL, RFF_CALLER);
  return 0;
}

RFF_EXPORT unsigned sleep(unsigned seconds) {
  if (!controlled()) {
    return RFF_REAL(sleep)(seconds);
  }
  sleep_until(runtime->now + seconds * kSecond, RFF_CALLER);
  return 0;
}
