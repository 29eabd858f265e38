// One thread, three counters that are ready. The bug: the callbacks work only if the second comes
// before the first and the third last.
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "program.h"

int main(void) {
  int loop = epoll_create1(0);
  int counters[3];
  int order[3];
  int done = 0;
  for (int i = 0; i < 3; i++) {
    counters[i] = eventfd(1, 0);
    struct epoll_event wanted = {.events = EPOLLIN, .data.u32 = (uint32_t)i};
    assert(epoll_ctl(loop, EPOLL_CTL_ADD, counters[i], &wanted) == 0);
  }
  while (done < 3) {
    struct epoll_event events[3];
    int n = epoll_wait(loop, events, 3, -1);
    for (int i = 0; i < n; i++) {
      uint64_t value;
      assert(read(counters[events[i].data.u32], &value, sizeof value) == sizeof value);
      order[done++] = (int)events[i].data.u32;
    }
  }
  assert(!(order[0] == 1 && order[1] == 0 && order[2] == 2));
  return 0;
}
