// Timers. They run in real time and are named in the report. Threads of the program carry out their
// actions: signals are treated like all signals, and a thread that a timer starts is one that the
// runtime controls, not one that the C library creates.
#include "libsched/interpose/time/timers.h"

#include <signal.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <vector>

#include "libsched/interpose/files/outside.h"
#include "libsched/interpose/signals/signals.h"

namespace rff {
namespace {

// A timer that starts a thread each time it expires.
struct Timer {
  int descriptor = -1;
  sigevent event = {};
  const void* made_by = nullptr;
  Operation* waiting = nullptr;  // operation of the thread that waits for the timer
  bool armed = false;
  bool deleted = false;
  int overrun = 0;
};

// Ids of such timers; the kernel does not use these numbers.
constexpr std::uintptr_t kFirst = 1 << 20;
std::vector<Timer*>& all_timers() {
  static auto* all = new std::vector<Timer*>;
  return *all;
}

Timer* find(timer_t id) {
  std::uintptr_t number = reinterpret_cast<std::uintptr_t>(id) - kFirst;
  return number < all_timers().size() && !all_timers()[number]->deleted ? all_timers()[number]
                                                                        : nullptr;
}

bool is_set(const itimerspec& t) { return t.it_value.tv_sec != 0 || t.it_value.tv_nsec != 0; }

constexpr WaitRule kExpired = {[](const Operation& op) {
                                 auto* t = static_cast<Timer*>(op.state);
                                 return t->deleted || outside::ready(t->descriptor, POLLIN);
                               },
                               nullptr, WaitObject::kTimer};

void* expire(void* argument) {
  auto* t = static_cast<Timer*>(argument);
  t->event.sigev_notify_function(t->event.sigev_value);
  return nullptr;
}

// Body of the thread that waits for a timer. Only a timer that is set can end the wait by itself.
void* await_timer(void* argument) {
  auto* t = static_cast<Timer*>(argument);
  for (;;) {
    Operation op = operation(OpKind::kSyscall, nullptr, t->made_by);
    op.waits_for = &kExpired;
    op.state = t;
    op.external = t->armed;
    t->waiting = &op;
    runtime->run.execution.perform(op);
    t->waiting = nullptr;
    std::uint64_t times = 0;
    if (t->deleted || RFF_REAL(read)(t->descriptor, &times, sizeof times) != sizeof times) {
      break;
    }
    t->overrun = static_cast<int>(times - 1);
    itimerspec next = {};
    timerfd_gettime(t->descriptor, &next);
    t->armed = is_set(next);
    pthread_t thread;
    if (create_thread(&thread, t->event.sigev_notify_attributes, expire, t, t->made_by) == 0) {
      detach_thread(thread);
    }
  }
  close(t->descriptor);
  return nullptr;
}

// Converts times of the program's clocks to durations from now.
itimerspec in_real_time(int clock, bool absolute, const itimerspec& given) {
  itimerspec t = given;
  if (absolute && is_set(given)) {
    std::uint64_t at = virtual_deadline(clock, &given.it_value);
    std::uint64_t rest = at > runtime->run.execution.now ? at - runtime->run.execution.now : 1;
    constexpr std::uint64_t kSecond = 1'000'000'000;
    t.it_value = {static_cast<time_t>(rest / kSecond), static_cast<long>(rest % kSecond)};
  }
  return t;
}

int failed(int error) {
  errno = error;
  return -1;
}

// The clock of a timer or timer descriptor, and the signal that it sends.
struct Clock {
  int clock = CLOCK_MONOTONIC;
  int signal = 0;
};
using Clocks = Objects<Clock>;
std::vector<timer_t> sending;  // timers that send signals

int clock_of(const void* timer) {
  Clock* known = Clocks::instance().find(timer);
  return known != nullptr ? known->clock : CLOCK_MONOTONIC;
}

const void* descriptor_key(int fd) { return reinterpret_cast<const void*>(-1L - fd); }

}  // namespace

namespace timers {

bool will_expire() {
  itimerval alarm_clock = {};
  if (signals::program_handles(SIGALRM) && getitimer(ITIMER_REAL, &alarm_clock) == 0 &&
      (timerisset(&alarm_clock.it_value) || timerisset(&alarm_clock.it_interval))) {
    return true;
  }
  return std::any_of(sending.begin(), sending.end(), [](timer_t id) {
    itimerspec left = {};
    return signals::program_handles(Clocks::instance().at(id).signal) &&
           RFF_REAL(timer_gettime)(id, &left) == 0 && is_set(left);
  });
}

}  // namespace timers
}  // namespace rff

using namespace rff;

RFF_EXPORT int timer_create(clockid_t clock, sigevent* event, timer_t* id) noexcept {
  if (!controlled()) {
    return RFF_REAL(timer_create)(clock, event, id);
  }
  runtime->start_run();
  touched_outside("timer_create");
  if (event == nullptr || event->sigev_notify != SIGEV_THREAD) {
    int result = RFF_REAL(timer_create)(clock, event, id);
    if (result == 0) {
      Clocks::instance().at(*id) = {clock, event == nullptr ? SIGALRM : event->sigev_signo};
      sending.push_back(*id);
    }
    return result;
  }
  auto* t = new Timer;
  t->descriptor = RFF_REAL(timerfd_create)(
      clock == CLOCK_REALTIME ? CLOCK_REALTIME : CLOCK_MONOTONIC, TFD_CLOEXEC);
  t->event = *event;
  t->made_by = RFF_CALLER;
  if (t->descriptor < 0) {
    delete t;
    return -1;
  }
  all_timers().push_back(t);
  *id = reinterpret_cast<timer_t>(kFirst + all_timers().size() - 1);
  Clocks::instance().at(*id).clock = clock;
  pthread_t thread;
  int error = create_thread(&thread, nullptr, await_timer, t, RFF_CALLER);
  if (error != 0) {
    t->deleted = true;
    return failed(error);
  }
  detach_thread(thread);
  return 0;
}

RFF_EXPORT int timer_settime(timer_t id, int flags, const itimerspec* value,
                             itimerspec* old) noexcept {
  if (!controlled()) {
    return RFF_REAL(timer_settime)(id, flags, value, old);
  }
  itimerspec set = in_real_time(clock_of(id), (flags & TIMER_ABSTIME) != 0, *value);
  Timer* t = find(id);
  if (t == nullptr) {
    return RFF_REAL(timer_settime)(id, 0, &set, old);
  }
  t->armed = is_set(set);
  if (t->waiting != nullptr) {
    t->waiting->external = t->armed;
  }
  return RFF_REAL(timerfd_settime)(t->descriptor, 0, &set, old);
}

RFF_EXPORT int timer_gettime(timer_t id, itimerspec* value) noexcept {
  Timer* t = controlled() ? find(id) : nullptr;
  return t != nullptr ? timerfd_gettime(t->descriptor, value) : RFF_REAL(timer_gettime)(id, value);
}

RFF_EXPORT int timer_getoverrun(timer_t id) noexcept {
  Timer* t = controlled() ? find(id) : nullptr;
  return t != nullptr ? t->overrun : RFF_REAL(timer_getoverrun)(id);
}

RFF_EXPORT int timer_delete(timer_t id) noexcept {
  Timer* t = controlled() ? find(id) : nullptr;
  if (t == nullptr) {
    std::erase(sending, id);
    return RFF_REAL(timer_delete)(id);
  }
  t->deleted = true;
  return 0;
}

RFF_EXPORT int timerfd_create(int clock, int flags) noexcept {
  int fd = RFF_REAL(timerfd_create)(clock, flags);
  if (controlled() && fd >= 0) {
    touched_outside("timerfd_create");
    Clocks::instance().at(descriptor_key(fd)).clock = clock;
  }
  return fd;
}

RFF_EXPORT int timerfd_settime(int fd, int flags, const itimerspec* value,
                               itimerspec* old) noexcept {
  if (!controlled()) {
    return RFF_REAL(timerfd_settime)(fd, flags, value, old);
  }
  itimerspec set =
      in_real_time(clock_of(descriptor_key(fd)), (flags & TFD_TIMER_ABSTIME) != 0, *value);
  return RFF_REAL(timerfd_settime)(fd, 0, &set, old);
}

#define RFF_NAMED(result, name, parameters, arguments) \
  RFF_EXPORT result name parameters noexcept {         \
    if (controlled()) {                                \
      touched_outside(#name);                          \
    }                                                  \
    return RFF_REAL(name) arguments;                   \
  }

RFF_NAMED(unsigned, alarm, (unsigned seconds), (seconds))
RFF_NAMED(useconds_t, ualarm, (useconds_t us, useconds_t interval), (us, interval))
RFF_NAMED(int, setitimer, (__itimer_which_t which, const itimerval* value, itimerval* old),
          (which, value, old))
