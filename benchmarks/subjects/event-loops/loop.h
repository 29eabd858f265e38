// An event loop on epoll for the subjects of this folder. Callbacks run one after the other, in the
// order in which epoll_wait hands out their descriptors; that order is all that differs from run to
// run.
#pragma once
#include <assert.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

typedef void (*Callback)(void* context);

// A descriptor that the loop watches. It must stay where it is until it is forgotten.
struct Source {
  int fd;
  int watched;
  int once;  // belongs to the loop, which reads and closes it before its callback
  Callback callback;
  void* context;
};

// A timer in user space: it bounds the time that epoll_wait may take.
struct Timer {
  long deadline;
  int armed;
  Callback callback;
  struct Timer* next;
};

static int loop_fd = -1;
static int loop_sources;
static struct Timer* loop_timers;
static struct timespec loop_start;

static inline void loop_check(long result, const char* what) {
  if (result < 0) {
    perror(what);
    exit(3);
  }
}

static inline void loop_begin(void) {
  loop_fd = epoll_create1(EPOLL_CLOEXEC);
  loop_check(loop_fd, "epoll_create1");
  loop_check(clock_gettime(CLOCK_MONOTONIC, &loop_start), "clock_gettime");
}

// Milliseconds since loop_begin.
static inline long loop_now(void) {
  struct timespec now;
  loop_check(clock_gettime(CLOCK_MONOTONIC, &now), "clock_gettime");
  return (now.tv_sec - loop_start.tv_sec) * 1000 + (now.tv_nsec - loop_start.tv_nsec) / 1000000;
}

static inline void loop_add(struct Source* source, int fd, int once, Callback callback,
                            void* context) {
  *source = (struct Source){fd, 1, once, callback, context};
  struct epoll_event event = {.events = EPOLLIN, .data.ptr = source};
  loop_check(epoll_ctl(loop_fd, EPOLL_CTL_ADD, fd, &event), "epoll_ctl");
  loop_sources++;
}

// Calls the callback whenever the descriptor is readable, until it is forgotten.
static inline void loop_watch(struct Source* source, int fd, Callback callback, void* context) {
  loop_check(fcntl(fd, F_SETFL, O_NONBLOCK), "fcntl");
  loop_add(source, fd, 0, callback, context);
}

static inline void loop_forget(struct Source* source) {
  loop_check(epoll_ctl(loop_fd, EPOLL_CTL_DEL, source->fd, 0), "epoll_ctl");
  source->watched = 0;
  loop_sources--;
}

// Calls the callback once, at a later turn: a pause.
static inline void loop_post(struct Source* source, Callback callback, void* context) {
  int fd = eventfd(1, EFD_NONBLOCK);
  loop_check(fd, "eventfd");
  loop_add(source, fd, 1, callback, context);
}

// Calls the callback once, not before this many milliseconds after loop_begin.
static inline void loop_at(struct Source* source, long milliseconds, Callback callback,
                           void* context) {
  int fd = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK);
  loop_check(fd, "timerfd_create");
  long nanoseconds = loop_start.tv_nsec + milliseconds * 1000000;
  struct itimerspec when = {
      .it_value = {loop_start.tv_sec + nanoseconds / 1000000000, nanoseconds % 1000000000}};
  loop_check(timerfd_settime(fd, TFD_TIMER_ABSTIME, &when, 0), "timerfd_settime");
  loop_add(source, fd, 1, callback, context);
}

// Calls the callback once, this many milliseconds from now, by the timeout of epoll_wait.
static inline void loop_timer(struct Timer* timer, long milliseconds, Callback callback) {
  *timer = (struct Timer){loop_now() + milliseconds, 1, callback, 0};
  struct Timer** place = &loop_timers;
  while (*place && (*place)->deadline <= timer->deadline) place = &(*place)->next;
  timer->next = *place;
  *place = timer;
}

static inline void loop_cancel(struct Timer* timer) {
  for (struct Timer** place = &loop_timers; *place; place = &(*place)->next) {
    if (*place == timer) {
      *place = timer->next;
      timer->armed = 0;
      return;
    }
  }
}

static inline void loop_dispatch(struct Source* source) {
  if (!source->watched) return;  // a callback of this turn has forgotten it
  if (source->once) {
    uint64_t count;
    if (read(source->fd, &count, sizeof count) != sizeof count) return;
    loop_forget(source);
    close(source->fd);
  }
  source->callback(source->context);
}

static inline void loop_run_timers(void) {
  while (loop_timers && loop_timers->deadline <= loop_now()) {
    struct Timer* due = loop_timers;
    loop_timers = due->next;
    due->armed = 0;
    due->callback(due);
  }
}

// Runs until there is nothing to wait for.
static inline void loop_run(void) {
  while (loop_sources || loop_timers) {
    struct epoll_event events[16];
    long timeout = -1;
    if (loop_timers) {
      timeout = loop_timers->deadline - loop_now();
      if (timeout < 0) timeout = 0;
    }
    int count = epoll_wait(loop_fd, events, 16, (int)timeout);
    loop_check(count, "epoll_wait");
    for (int i = 0; i < count; i++) loop_dispatch(events[i].data.ptr);
    loop_run_timers();
  }
}

// Two connected sockets that keep messages apart.
static inline void loop_connect(int ends[2]) {
  loop_check(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends), "socketpair");
}

// Messages are at most a few bytes: a full buffer is a mistake of the program.
static inline void loop_send(int fd, const void* bytes, size_t size) {
  loop_check(write(fd, bytes, size) == (ssize_t)size ? 0 : -1, "write");
}
