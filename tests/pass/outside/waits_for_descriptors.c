// poll, select, epoll and their variants wait for a thread of the same process, or for time.
#define _GNU_SOURCE
#include <poll.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/select.h>
#include <unistd.h>

#include "program.h"

enum { kRounds = 7 };
static int requests[2];
static int answers[2];

static void* answer(void* unused) {
  char byte;
  while (read(requests[0], &byte, 1) == 1) {
    assert(write(answers[1], &byte, 1) == 1);
  }
  return unused;
}

static void wait_with(int round, int fd, int epoll) {
  struct pollfd p = {fd, POLLIN, 0};
  struct timespec long_time = {100, 0};
  struct timeval long_value = {100, 0};
  struct epoll_event event;
  fd_set set;
  FD_ZERO(&set);
  FD_SET(fd, &set);
  switch (round) {
    case 0: assert(poll(&p, 1, -1) == 1); break;
    case 1: assert(ppoll(&p, 1, NULL, NULL) == 1); break;
    case 2: assert(select(fd + 1, &set, NULL, NULL, &long_value) == 1); break;
    case 3: assert(pselect(fd + 1, &set, NULL, NULL, &long_time, NULL) == 1); break;
    case 4: assert(epoll_wait(epoll, &event, 1, -1) == 1 && event.data.fd == fd); break;
    case 5: assert(epoll_pwait(epoll, &event, 1, 100000, NULL) == 1); break;
    default: break;
  }
}

int main(void) {
  assert(pipe(requests) == 0 && pipe(answers) == 0);
  int epoll = epoll_create1(EPOLL_CLOEXEC);
  struct epoll_event event = {EPOLLIN, {.fd = answers[0]}};
  assert(epoll_ctl(epoll, EPOLL_CTL_ADD, answers[0], &event) == 0);
  pthread_t other = start(answer);
  for (int round = 0; round < kRounds; round++) {
    char byte = (char)round;
    char back = 0;
    assert(write(requests[1], &byte, 1) == 1);
    wait_with(round, answers[0], epoll);
    assert(read(answers[0], &back, 1) == 1 && back == byte);
  }
  // Nothing will come: only time passes, and none of ours.
  struct pollfd p = {answers[0], POLLIN, 0};
  struct timespec before = deadline_in(CLOCK_MONOTONIC, 0), after;
  assert(poll(&p, 1, 5000) == 0);
  assert(epoll_wait(epoll, &event, 1, 5000) == 0);
  after = deadline_in(CLOCK_MONOTONIC, 0);
  assert(after.tv_sec - before.tv_sec >= 10);
  close(requests[1]);
  finish(other);
  return 0;
}
