// `linear` on libevent: three callbacks change x = -17: minus 2, times 4, plus 70, in whatever
// order the loop hands out their descriptors. The bug: times 4 first gives 0, two orders of six.
// The right program waits for all three and then computes in a fixed order.
#include <assert.h>
#include <event2/event.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

static long x = -17;
static int arrived;

static void change(int which) {
  if (which == 0) x = x - 2;
  if (which == 1) x = x * 4;
  if (which == 2) x = x + 70;
}

static void called(evutil_socket_t descriptor, short what, void* which) {
  uint64_t count;
  (void)what;
  assert(read(descriptor, &count, sizeof count) == sizeof count);
  arrived++;
#ifdef RIGHT
  (void)which;
  if (arrived == 3) {
    for (int i = 0; i < 3; i++) change(i);
  }
#else
  change((int)(intptr_t)which);
#endif
}

int main(int argc, char** argv) {
  if (argc > 1) x = atol(argv[1]);
  struct event_base* base = event_base_new();
  struct event* events[3];
  assert(base);
  for (intptr_t i = 0; i < 3; i++) {
    events[i] = event_new(base, eventfd(1, EFD_NONBLOCK), EV_READ, called, (void*)i);
    assert(events[i] && event_add(events[i], 0) == 0);
  }
  assert(event_base_dispatch(base) == 1);  // nothing is left to wait for
  for (int i = 0; i < 3; i++) event_free(events[i]);
  event_base_free(base);
  assert(arrived == 3);
  assert(x != 0);
  return 0;
}
