// Threads wait at descriptors for counters, signals and timers.
#define _GNU_SOURCE
#include <signal.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "program.h"

static int counter, other_counter, signals, timer, set_of_all;

static void* receive(void* unused) {
  uint64_t value = 0;
  eventfd_t count = 0;
  struct signalfd_siginfo info;
  struct epoll_event event;
  assert(read(counter, &value, sizeof value) == sizeof value && value == 3);
  assert(eventfd_read(counter, &count) == 0 && count == 4);
  assert(read(signals, &info, sizeof info) == sizeof info && info.ssi_signo == SIGUSR1);
  assert(read(timer, &value, sizeof value) == sizeof value && value == 1);
  assert(epoll_wait(set_of_all, &event, 1, -1) == 1);
  assert(epoll_pwait2(set_of_all, &event, 1, NULL, NULL) == 1);
  return unused;
}

int main(void) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  pthread_sigmask(SIG_BLOCK, &set, NULL);
  counter = eventfd(0, 0);
  other_counter = eventfd(0, 0);
  signals = signalfd(-1, &set, 0);
  timer = timerfd_create(CLOCK_MONOTONIC, 0);
  set_of_all = epoll_create1(0);
  struct epoll_event event = {.events = EPOLLIN};
  assert(epoll_ctl(set_of_all, EPOLL_CTL_ADD, other_counter, &event) == 0);
  struct itimerspec soon = {.it_value = {0, 1000000}};
  assert(timerfd_settime(timer, 0, &soon, NULL) == 0);
  pthread_t thread = start(receive);
  uint64_t value = 3;
  assert(write(counter, &value, sizeof value) == sizeof value);
  sleep(1);  // until nobody else can run: it has been read
  assert(eventfd_write(counter, 4) == 0);
  assert(kill(getpid(), SIGUSR1) == 0);
  assert(write(other_counter, &value, sizeof value) == sizeof value);
  finish(thread);
  return 0;
}
