// A library to preload: epoll_wait hands out any part of what is ready, in any order, on a clock
// that stands still but for the waits. ANY_ORDER_SEED=N draws the parts and orders;
// ANY_ORDER_PICKS=2,0,… hands out one descriptor a call, the n-th of those that are ready, by what
// the program gave epoll_ctl for them; the number behind the last lets the clock go on to the next
// timer, at most three times in a run. After the end of the list it picks 0. ANY_ORDER_CHOICES
// names a file for the options at each pick. Level-triggered descriptors only.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

enum {
  MOST_READY = 64,
  MOST_DESCRIPTORS = 1024,
  LATENESS = 6000000,
  FOR_EVER = 99,
  MOST_ADVANCES = 3
};

static int64_t now = 1000000000000;          // nanoseconds
static int64_t deadlines[MOST_DESCRIPTORS];  // of timers; 0: not armed
static uint64_t random_state;
static const char* picks;
static FILE* choices;
static int advances;  // how often the clock went on although something was ready

static unsigned draw(unsigned below) {
  random_state ^= random_state << 13;
  random_state ^= random_state >> 7;
  random_state ^= random_state << 17;
  return (unsigned)((random_state >> 20) % below);
}

__attribute__((constructor)) static void begin(void) {
  const char* seed = getenv("ANY_ORDER_SEED");
  random_state = (seed ? strtoull(seed, 0, 10) : 1) * 0x9e3779b97f4a7c15 + 1;
  picks = getenv("ANY_ORDER_PICKS");
  const char* file = getenv("ANY_ORDER_CHOICES");
  choices = file ? fopen(file, "w") : NULL;
  for (int i = 0; i < 16; i++) draw(2);
}

int clock_gettime(clockid_t clock, struct timespec* time) {
  (void)clock;
  *time = (struct timespec){now / 1000000000, now % 1000000000};
  return 0;
}

// A timer is a counter that this library writes when the timer is due: both are read in the same
// way.
int timerfd_create(int clock, int flags) {
  (void)clock;
  return eventfd(0, flags & TFD_NONBLOCK ? EFD_NONBLOCK : 0);
}

int timerfd_settime(int fd, int flags, const struct itimerspec* time, struct itimerspec* before) {
  (void)before;
  int64_t when = time->it_value.tv_sec * 1000000000 + time->it_value.tv_nsec;
  deadlines[fd] = when == 0 ? 0 : when + (flags & TFD_TIMER_ABSTIME ? 0 : now);
  return 0;
}

static void fire_timers(void) {
  for (int fd = 0; fd < MOST_DESCRIPTORS; fd++) {
    if (deadlines[fd] == 0 || deadlines[fd] > now) continue;
    uint64_t one = 1;
    deadlines[fd] = 0;
    if (write(fd, &one, sizeof one) != sizeof one) continue;  // its owner has closed it
  }
}

static int64_t earliest_timer(void) {
  int64_t earliest = 0;
  for (int fd = 0; fd < MOST_DESCRIPTORS; fd++) {
    if (deadlines[fd] && (earliest == 0 || deadlines[fd] < earliest)) earliest = deadlines[fd];
  }
  return earliest;
}

static void swap(struct epoll_event* a, struct epoll_event* b) {
  struct epoll_event before = *a;
  *a = *b;
  *b = before;
}

// The next of ANY_ORDER_PICKS, one of `options`.
static int next_pick(int options) {
  int pick = 0;
  if (*picks) {
    char* end;
    pick = (int)strtol(picks, &end, 10);
    picks = *end ? end + 1 : end;
  }
  if (choices) {
    fprintf(choices, "%d %d\n", options, pick);
    fflush(choices);
  }
  return pick < options ? pick : options - 1;
}

static void sort_by_data(struct epoll_event* ready, int count) {
  for (int i = 0; i < count; i++) {
    for (int j = i + 1; j < count; j++) {
      if (ready[j].data.u64 < ready[i].data.u64) swap(&ready[i], &ready[j]);
    }
  }
}

// Brings the chosen events to the front and returns their number; 0: the clock goes on first.
static int choose(struct epoll_event* ready, int count, int most, int may_advance) {
  if (picks) {
    sort_by_data(ready, count);
    int pick = next_pick(count + may_advance);
    if (pick == count) return 0;
    swap(&ready[0], &ready[pick]);
    return 1;
  }
  for (int i = 0; i < count - 1; i++) swap(&ready[i], &ready[i + (int)draw((unsigned)(count - i))]);
  int chosen = draw(2) ? 1 : 1 + (int)draw((unsigned)count);
  return chosen < most ? chosen : most;
}

static int wait_really(int epoll, struct epoll_event* ready, const sigset_t* mask) {
  typedef int (*Wait)(int, struct epoll_event*, int, int, const sigset_t*);
  static Wait wait;
  if (!wait) wait = (Wait)dlsym(RTLD_NEXT, "epoll_pwait");
  return wait(epoll, ready, MOST_READY, 0, mask);
}

int epoll_pwait(int epoll, struct epoll_event* events, int most, int timeout,
                const sigset_t* mask) {
  int64_t end = timeout < 0 ? 0 : now + timeout * 1000000LL;
  if (!picks && draw(4) == 0) now += draw(LATENESS);
  for (;;) {
    struct epoll_event ready[MOST_READY];
    fire_timers();
    int64_t timer = earliest_timer();
    int timed_out = timeout >= 0 && (timer == 0 || end <= timer);
    int64_t next = timed_out ? end : timer;
    int count = wait_really(epoll, ready, mask);
    if (count < 0) return count;
    if (count > 0) {
      int chosen = choose(ready, count, most, next > now && advances < MOST_ADVANCES);
      for (int i = 0; i < chosen; i++) events[i] = ready[i];
      if (chosen > 0) return chosen;
      now = next;
      advances++;
      continue;
    }
    if (timer == 0 && timeout < 0) {
      fprintf(stderr, "any_order: the loop waits for ever\n");
      _exit(FOR_EVER);
    }
    if (next > now) now = next;
    if (!picks) now += draw(2) * draw(LATENESS);
    if (timed_out) return 0;
  }
}

int epoll_wait(int epoll, struct epoll_event* events, int most, int timeout) {
  return epoll_pwait(epoll, events, most, timeout, 0);
}
