// A thread spins until the loop lets it go. The bug: the loop forgets that if the second counter is
// handed out first.
#include <stdatomic.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "program.h"

static atomic_int go;

static void* spin(void* unused) {
  while (!atomic_load(&go)) continue;
  return unused;
}

int main(void) {
  int loop = epoll_create1(0);
  int counters[2];
  for (int i = 0; i < 2; i++) {
    counters[i] = eventfd(1, 0);
    struct epoll_event wanted = {.events = EPOLLIN, .data.u32 = (uint32_t)i};
    assert(epoll_ctl(loop, EPOLL_CTL_ADD, counters[i], &wanted) == 0);
  }
  pthread_t thread = start(spin);
  int seen = 0;
  for (int events = 0; events < 2; events++) {
    struct epoll_event event;
    assert(epoll_wait(loop, &event, 1, -1) == 1);
    uint64_t value;
    assert(read(counters[event.data.u32], &value, sizeof value) == sizeof value);
    if (event.data.u32 == 0) seen = 1;
    if (event.data.u32 == 1 && seen) atomic_store(&go, 1);
  }
  finish(thread);
  return 0;
}
