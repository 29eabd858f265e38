// A loop with an edge-triggered descriptor reads once for each event. The bug: bytes that two
// writers send before the event is handed out are one event, and half of them stay.
#include <fcntl.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "program.h"

static int ends[2];

static void* send_one(void* unused) {
  assert(write(ends[1], "x", 1) == 1);
  return unused;
}

int main(void) {
  assert(pipe(ends) == 0 && fcntl(ends[0], F_SETFL, O_NONBLOCK) == 0);
  int loop = epoll_create1(0);
  struct epoll_event wanted = {.events = EPOLLIN | EPOLLET};
  assert(epoll_ctl(loop, EPOLL_CTL_ADD, ends[0], &wanted) == 0);
  pthread_t threads[2] = {start(send_one), start(send_one)};
  for (int bytes = 0; bytes < 2; bytes++) {
    struct epoll_event event;
    assert(epoll_wait(loop, &event, 1, -1) == 1);
    char byte;
    assert(read(ends[0], &byte, 1) == 1);
  }
  finish(threads[0]);
  finish(threads[1]);
  return 0;
}
