// A thread sends the settings and then work. The loop looks for work first, so that whoever gets
// work gets the settings with it.
#define _GNU_SOURCE
#include <poll.h>
#include <sys/select.h>
#include <unistd.h>

#include "program.h"

enum { kRounds = 4 };
static int settings[2], work[2];

static void* send_both(void* unused) {
  assert(write(settings[1], "s", 1) == 1);
  assert(write(work[1], "w", 1) == 1);
  return unused;
}

// Each function returns 1 for settings, 2 for work, 3 for both.
static int by_poll(int round) {
  struct pollfd list[2] = {{work[0], POLLIN, 0}, {settings[0], POLLIN, 0}};
  assert((round == 0 ? poll(list, 2, -1) : ppoll(list, 2, NULL, NULL)) > 0);
  return (list[0].revents ? 2 : 0) | (list[1].revents ? 1 : 0);
}

static int by_select(int round) {
  fd_set ready;
  FD_ZERO(&ready);
  FD_SET(settings[0], &ready);
  FD_SET(work[0], &ready);
  assert(work[0] < settings[0]);
  int end = settings[0] + 1;
  assert((round == 2 ? select(end, &ready, NULL, NULL, NULL)
                     : pselect(end, &ready, NULL, NULL, NULL, NULL)) > 0);
  return (FD_ISSET(work[0], &ready) ? 2 : 0) | (FD_ISSET(settings[0], &ready) ? 1 : 0);
}

int main(void) {
  assert(pipe(work) == 0 && pipe(settings) == 0);
  for (int round = 0; round < kRounds; round++) {
    pthread_t thread = start(send_both);
    char byte;
    for (int configured = 0, done = 0; !done;) {
      int ready = round < 2 ? by_poll(round) : by_select(round);
      if (ready & 1) configured = read(settings[0], &byte, 1) == 1;
      if (ready & 2) {
        assert(configured);
        done = read(work[0], &byte, 1) == 1;
      }
    }
    finish(thread);
  }
  return 0;
}
