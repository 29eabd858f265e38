// What was ready before poll or select was called is in the answer, whatever other threads do, and
// nothing else is: random writes, reads and closes, asked in all ways, against a count of the
// bytes.
#include <fcntl.h>
#include <poll.h>
#include <stdint.h>
#include <sys/select.h>
#include <unistd.h>

#include "program.h"

enum { PIPES = 4 };

static struct {
  int in, out;
  int bytes;  // unread
} pipes[PIPES];
static int beside[2];
static uint32_t state;

static uint32_t draw(uint32_t below) {
  state = state * 1664525u + 1013904223u;
  return (state >> 16) % below;
}

static void act(void) {
  int i = (int)draw(PIPES);
  char byte;
  if (draw(2) && pipes[i].out >= 0) {
    assert(write(pipes[i].out, "x", 1) == 1);
    pipes[i].bytes++;
  } else if (draw(8) == 0 && pipes[i].out >= 0) {
    close(pipes[i].out);
    pipes[i].out = -1;
  } else {
    assert(read(pipes[i].in, &byte, 1) == (pipes[i].bytes > 0 ? 1 : pipes[i].out < 0 ? 0 : -1));
    pipes[i].bytes -= pipes[i].bytes > 0;
  }
}

static void ask_poll(int timeout) {
  struct pollfd list[PIPES + 1];
  int expected = 0;
  for (int i = 0; i < PIPES; i++) {
    list[i] = (struct pollfd){pipes[i].in, POLLIN, 0x7777};
    expected += pipes[i].bytes > 0 || pipes[i].out < 0;
  }
  list[PIPES] = (struct pollfd){-1, POLLIN, 0x7777};
  assert(poll(list, PIPES + 1, timeout) == expected && list[PIPES].revents == 0);
  for (int i = 0; i < PIPES; i++) {
    assert(list[i].revents ==
           ((pipes[i].bytes > 0 ? POLLIN : 0) | (pipes[i].out < 0 ? POLLHUP : 0)));
  }
}

static void ask_select(int timeout) {
  fd_set in, out;
  FD_ZERO(&in);
  FD_ZERO(&out);
  int expected = 0, end = 0;
  for (int i = 0; i < PIPES; i++) {
    FD_SET(pipes[i].in, &in);
    expected += pipes[i].bytes > 0 || pipes[i].out < 0;
    if (pipes[i].out >= 0) FD_SET(pipes[i].out, &out), expected++;
    end = pipes[i].in >= end ? pipes[i].in + 1 : end;
    end = pipes[i].out >= end ? pipes[i].out + 1 : end;
  }
  struct timeval limit = {0, timeout};
  assert(select(end, &in, &out, NULL, &limit) == expected);
  for (int i = 0; i < PIPES; i++) {
    assert(!FD_ISSET(pipes[i].in, &in) == !(pipes[i].bytes > 0 || pipes[i].out < 0));
    assert(pipes[i].out < 0 || FD_ISSET(pipes[i].out, &out));
  }
}

static void* write_beside(void* unused) {
  for (int i = 0; i < 20; i++) assert(write(beside[1], "x", 1) == 1);
  return unused;
}

int main(void) {
  state = (uint32_t)time(NULL) * 2654435761u + 12345u;
  assert(pipe(beside) == 0);
  for (int i = 0; i < PIPES; i++) {
    int ends[2];
    assert(pipe(ends) == 0 && fcntl(ends[0], F_SETFL, O_NONBLOCK) == 0);
    pipes[i].in = ends[0];
    pipes[i].out = ends[1];
  }
  pthread_t thread = start(write_beside);
  struct pollfd other = {beside[0], POLLIN, 0};
  while (poll(&other, 1, 0) == 0) continue;  // somebody else will be let go on
  for (int script = 0; script < 100; script++) {
    for (uint32_t n = draw(4); n > 0; n--) act();
    switch (draw(4)) {
      case 0: ask_poll(0); break;
      case 1: ask_poll(1000); break;
      case 2: ask_select(0); break;
      default: ask_select(1000);
    }
  }
  finish(thread);
  return 0;
}
