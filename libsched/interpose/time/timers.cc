// Timers that send signals or start threads, in virtual time. A thread that a timer starts is one
// that the runtime controls, not one that the C library creates. Those that measure processor time
// are the kernel's, and named in the report.
#include "libsched/interpose/time/timers.h"

#include <signal.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "libsched/interpose/process/identity.h"
#include "libsched/interpose/process/machine.h"
#include "libsched/interpose/signals/signals.h"
#include "libsched/interpose/sync/thread_table.h"
#include "libsched/interpose/time/virtual_timer.h"

namespace rff {
namespace {

class Timer final : public VirtualTimer {
 public:
  Timer(int measured, const sigevent& event, const void* caller)
      : VirtualTimer(caller), clock(measured), made_by(caller), event_(event) {}

  int clock;
  const void* made_by;
  bool deleted = false;
  int overrun = 0;
  int code = SI_TIMER;

 protected:
  void expired(std::uint64_t times) override {
    constexpr std::uint64_t kMostOverrun = 1u << 30;
    times += std::exchange(merged_, 0);
    if (event_.sigev_notify == SIGEV_THREAD && !has_room()) {
      merged_ = std::min(times, kMostOverrun);
      return;
    }
    overrun = static_cast<int>(std::min(times - 1, kMostOverrun));
    if (event_.sigev_notify == SIGEV_THREAD) {
      pthread_t thread;
      if (create_thread(&thread, event_.sigev_notify_attributes, start, this, made_by) == 0) {
        at_work_.push_back(runtime->run.execution.threads().back());
        detach_thread(thread);
      }
    } else if (event_.sigev_notify != SIGEV_NONE) {
      siginfo_t info = {};
      info.si_signo = event_.sigev_signo;
      info.si_code = code;
      info.si_value = event_.sigev_value;
      info.si_overrun = overrun;
      signals::send(receiver(), info);
    }
  }

 private:
  static void* start(void* timer) {
    const sigevent& event = static_cast<Timer*>(timer)->event_;
    event.sigev_notify_function(event.sigev_value);
    return nullptr;
  }

  // Returns whether one more thread may be started. Without a limit a run would not end in which a
  // timer expires again and again while its threads wait for their turn; the C library merges
  // expirations, too, when its own thread is late.
  bool has_room() {
    constexpr std::size_t kMostAtWork = 4;
    std::erase_if(at_work_, [](const Thread* t) { return t->state == ThreadState::kEnded; });
    return at_work_.size() < kMostAtWork;
  }

  // Null: the process.
  Thread* receiver() const {
    if (event_.sigev_notify != SIGEV_THREAD_ID) {
      return nullptr;
    }
    auto index = static_cast<std::size_t>(event_._sigev_un._tid - identity::kProcess);
    const auto& threads = runtime->run.execution.threads();
    return index < threads.size() && threads[index]->state != ThreadState::kEnded ? threads[index]
                                                                                  : nullptr;
  }

  sigevent event_;
  std::vector<Thread*> at_work_;  // the threads that it has started and that have not ended
  std::uint64_t merged_ = 0;      // expirations that started none
};

// Ids of timers; the first is 1, since programs take 0 for none.
std::vector<Timer*>& all_timers() {
  static auto* all = new std::vector<Timer*>;
  return *all;
}

Timer* find(timer_t id) {
  std::uintptr_t number = reinterpret_cast<std::uintptr_t>(id) - 1;
  return number < all_timers().size() && !all_timers()[number]->deleted ? all_timers()[number]
                                                                        : nullptr;
}

// The timer of alarm and setitimer(ITIMER_REAL).
Timer& alarm_clock(const void* caller) {
  static Timer* made = nullptr;
  if (made == nullptr) {
    sigevent event = {};
    event.sigev_notify = SIGEV_SIGNAL;
    event.sigev_signo = SIGALRM;
    made = new Timer(CLOCK_MONOTONIC, event, caller);
    made->code = SI_KERNEL;
  }
  return *made;
}

using machine::kSecond;
constexpr std::uint64_t kMicrosecond = 1'000;

std::uint64_t nanoseconds_of(const timeval& t) {
  return static_cast<std::uint64_t>(t.tv_sec) * kSecond +
         static_cast<std::uint64_t>(t.tv_usec) * kMicrosecond;
}
timeval to_timeval(std::uint64_t ns) {
  return {static_cast<time_t>(ns / kSecond), static_cast<suseconds_t>(ns % kSecond / kMicrosecond)};
}

// Sets the alarm clock. Returns what was left of the last one.
itimerval set_alarm(std::uint64_t after, std::uint64_t interval, const void* caller) {
  Timer& t = alarm_clock(caller);
  std::uint64_t left = t.left();
  itimerval before = {to_timeval(t.interval()),
                      to_timeval(left == 0 ? 0 : std::max(left, kMicrosecond))};
  if (after != 0 || left != 0) {
    t.set(after == 0 ? kNever : runtime->run.execution.now + after, interval);
  }
  return before;
}

bool measures_processor_time(int which) { return which != ITIMER_REAL; }

}  // namespace

namespace timers {

bool will_expire() {
  for (auto which : {ITIMER_VIRTUAL, ITIMER_PROF}) {
    itimerval value = {};
    int signal = which == ITIMER_VIRTUAL ? SIGVTALRM : SIGPROF;
    if (signals::program_handles(signal) && RFF_REAL(getitimer)(which, &value) == 0 &&
        (timerisset(&value.it_value) || timerisset(&value.it_interval))) {
      return true;
    }
  }
  return false;
}

}  // namespace timers
}  // namespace rff

using namespace rff;

RFF_EXPORT int timer_create(clockid_t clock, sigevent* event, timer_t* id) noexcept {
  if (!controlled()) {
    return RFF_REAL(timer_create)(clock, event, id);
  }
  sigevent by_default = {};
  by_default.sigev_notify = SIGEV_SIGNAL;
  by_default.sigev_signo = SIGALRM;
  const sigevent& wanted = event != nullptr ? *event : by_default;
  bool sends = wanted.sigev_notify == SIGEV_SIGNAL || wanted.sigev_notify == SIGEV_THREAD_ID;
  if ((sends && (!signals::valid(wanted.sigev_signo) || wanted.sigev_signo == 0)) ||
      (!sends && wanted.sigev_notify != SIGEV_THREAD && wanted.sigev_notify != SIGEV_NONE)) {
    return failed(EINVAL);
  }
  auto* t = new Timer(clock, wanted, RFF_CALLER);
  all_timers().push_back(t);
  *id = reinterpret_cast<timer_t>(all_timers().size());
  return 0;
}

RFF_EXPORT int timer_settime(timer_t id, int flags, const itimerspec* value,
                             itimerspec* old) noexcept {
  if (!controlled()) {
    return RFF_REAL(timer_settime)(id, flags, value, old);
  }
  Timer* t = find(id);
  if (t == nullptr || !valid_nanoseconds(&value->it_value) ||
      !valid_nanoseconds(&value->it_interval)) {
    return failed(EINVAL);
  }
  itimerspec before = {to_timespec(t->interval()), to_timespec(t->left())};
  bool stops = value->it_value.tv_sec == 0 && value->it_value.tv_nsec == 0;
  bool absolute = (flags & TIMER_ABSTIME) != 0;
  if (!stops || t->is_set()) {
    t->set(stops      ? kNever
           : absolute ? virtual_deadline(t->clock, &value->it_value)
                      : virtual_after(value->it_value),
           nanoseconds(value->it_interval));
  }
  if (old != nullptr) {
    *old = before;
  }
  return 0;
}

RFF_EXPORT int timer_gettime(timer_t id, itimerspec* value) noexcept {
  if (!controlled()) {
    return RFF_REAL(timer_gettime)(id, value);
  }
  Timer* t = find(id);
  if (t == nullptr) {
    return failed(EINVAL);
  }
  *value = {to_timespec(t->interval()), to_timespec(t->left())};
  return 0;
}

RFF_EXPORT int timer_getoverrun(timer_t id) noexcept {
  if (!controlled()) {
    return RFF_REAL(timer_getoverrun)(id);
  }
  Timer* t = find(id);
  return t != nullptr ? t->overrun : failed(EINVAL);
}

RFF_EXPORT int timer_delete(timer_t id) noexcept {
  if (!controlled()) {
    return RFF_REAL(timer_delete)(id);
  }
  Timer* t = find(id);
  if (t == nullptr) {
    return failed(EINVAL);
  }
  if (t->is_set()) {
    t->set(kNever, 0);
  }
  t->deleted = true;
  return 0;
}

RFF_EXPORT unsigned alarm(unsigned seconds) noexcept {
  if (!controlled()) {
    return RFF_REAL(alarm)(seconds);
  }
  itimerval before = set_alarm(seconds * kSecond, 0, RFF_CALLER);
  return static_cast<unsigned>(before.it_value.tv_sec + (before.it_value.tv_usec > 0 ? 1 : 0));
}

RFF_EXPORT useconds_t ualarm(useconds_t us, useconds_t interval) noexcept {
  if (!controlled()) {
    return RFF_REAL(ualarm)(us, interval);
  }
  itimerval before = set_alarm(us * kMicrosecond, interval * kMicrosecond, RFF_CALLER);
  return static_cast<useconds_t>(before.it_value.tv_sec * 1'000'000 + before.it_value.tv_usec);
}

RFF_EXPORT int setitimer(__itimer_which_t which, const itimerval* value, itimerval* old) noexcept {
  if (!controlled()) {
    return RFF_REAL(setitimer)(which, value, old);
  }
  if (measures_processor_time(which)) {
    touched_outside("setitimer of processor time");
    return RFF_REAL(setitimer)(which, value, old);
  }
  constexpr itimerval kNone = {};
  const itimerval& wanted = value != nullptr ? *value : kNone;
  if (wanted.it_value.tv_usec < 0 || wanted.it_value.tv_usec >= 1'000'000 ||
      wanted.it_interval.tv_usec < 0 || wanted.it_interval.tv_usec >= 1'000'000) {
    return failed(EINVAL);
  }
  itimerval before =
      set_alarm(nanoseconds_of(wanted.it_value), nanoseconds_of(wanted.it_interval), RFF_CALLER);
  if (old != nullptr) {
    *old = before;
  }
  return 0;
}

RFF_EXPORT int getitimer(__itimer_which_t which, itimerval* value) noexcept {
  if (!controlled() || measures_processor_time(which)) {
    return RFF_REAL(getitimer)(which, value);
  }
  Timer& t = alarm_clock(RFF_CALLER);
  std::uint64_t left = t.left();
  *value = {to_timeval(t.interval()), to_timeval(left == 0 ? 0 : std::max(left, kMicrosecond))};
  return 0;
}
