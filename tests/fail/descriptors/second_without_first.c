// A thread sends the settings and then work. The bug: the loop believes that whoever gets work has
// got the settings. But poll looks at the first of its list first, and both may be sent before it
// looks at the other.
#include <poll.h>
#include <unistd.h>

#include "program.h"

static int settings[2], work[2];

static void* send_both(void* unused) {
  assert(write(settings[1], "s", 1) == 1);
  assert(write(work[1], "w", 1) == 1);
  return unused;
}

int main(void) {
  assert(pipe(settings) == 0 && pipe(work) == 0);
  pthread_t thread = start(send_both);
  struct pollfd list[2] = {{settings[0], POLLIN, 0}, {work[0], POLLIN, 0}};
  char byte;
  for (int configured = 0, done = 0; !done;) {
    assert(poll(list, 2, -1) > 0);
    if (list[0].revents) configured = read(settings[0], &byte, 1) == 1;
    if (list[1].revents) {
      assert(configured);
      done = read(work[0], &byte, 1) == 1;
    }
  }
  finish(thread);
  return 0;
}
