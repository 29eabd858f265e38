// A request has 50 ms. The bug: whoever closes the time limit forgets that the answer may be there
// already and be handed out later.
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "program.h"

static int answers[2];

static void* serve(void* unused) {
  usleep(50000);
  assert(write(answers[1], "a", 1) == 1);
  return unused;
}

int main(void) {
  assert(pipe(answers) == 0);
  int loop = epoll_create1(0);
  int limit = timerfd_create(CLOCK_MONOTONIC, 0);
  struct itimerspec when = {.it_value = {0, 50000000}};
  assert(timerfd_settime(limit, 0, &when, NULL) == 0);
  struct epoll_event wanted = {.events = EPOLLIN, .data.fd = limit};
  assert(epoll_ctl(loop, EPOLL_CTL_ADD, limit, &wanted) == 0);
  wanted.data.fd = answers[0];
  assert(epoll_ctl(loop, EPOLL_CTL_ADD, answers[0], &wanted) == 0);
  pthread_t thread = start(serve);
  struct epoll_event event;
  assert(epoll_wait(loop, &event, 1, -1) == 1);
  if (event.data.fd == limit) {
    struct epoll_event next;
    finish(thread);
    assert(epoll_wait(loop, &next, 1, 0) == 1 && next.data.fd != answers[0]);
    return 0;
  }
  finish(thread);
  return 0;
}
