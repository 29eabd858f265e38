// A thread sends the settings and then work. The bug: the loop believes that whoever gets work has
// got the settings. But select looks at the lower number first, and both may be sent before it
// looks at the other.
#include <sys/select.h>
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
  assert(settings[0] < work[0]);
  char byte;
  for (int configured = 0, done = 0; !done;) {
    fd_set ready;
    FD_ZERO(&ready);
    FD_SET(settings[0], &ready);
    FD_SET(work[0], &ready);
    assert(select(work[0] + 1, &ready, NULL, NULL, NULL) > 0);
    if (FD_ISSET(settings[0], &ready)) configured = read(settings[0], &byte, 1) == 1;
    if (FD_ISSET(work[0], &ready)) {
      assert(configured);
      done = read(work[0], &byte, 1) == 1;
    }
  }
  finish(thread);
  return 0;
}
