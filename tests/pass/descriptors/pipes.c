// Pipes and pairs of sockets between threads: bytes come in order and all of them, also through a
// full pipe; a closed end is seen by whoever waits; a reader that does not wait goes on.
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "program.h"

enum { BYTES = 20000 };
static int big[2], pair[2], closing[2];

static void* fill(void* unused) {
  char bytes[BYTES];
  for (int i = 0; i < BYTES; i++) bytes[i] = (char)i;
  assert(write(big[1], bytes, BYTES) == BYTES);
  close(big[1]);
  return unused;
}

static void* answer(void* unused) {
  char text[8];
  assert(recv(pair[1], text, 5, MSG_WAITALL) == 5 && memcmp(text, "hello", 5) == 0);
  assert(send(pair[1], "bye", 3, 0) == 3);
  return unused;
}

static void* close_it(void* unused) {
  close(closing[1]);
  return unused;
}

int main(void) {
  signal(SIGPIPE, SIG_IGN);
  assert(pipe(big) == 0 && pipe2(closing, 0) == 0);
  assert(socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0);
  assert(fcntl(big[1], F_SETPIPE_SZ, 4096) >= 4096);
  pthread_t threads[3] = {start(fill), start(answer), start(close_it)};
  assert(write(pair[0], "he", 2) == 2 && write(pair[0], "llo", 3) == 3);
  char bytes[512];
  int seen = 0;
  for (ssize_t n; (n = read(big[0], bytes, sizeof bytes)) != 0;) {
    assert(n > 0);
    for (ssize_t i = 0; i < n; i++) assert(bytes[i] == (char)seen++);
  }
  assert(seen == BYTES);
  assert(read(closing[0], bytes, 1) == 0);
  assert(read(pair[0], bytes, 3) == 3 && memcmp(bytes, "bye", 3) == 0);
  assert(fcntl(pair[0], F_SETFL, O_NONBLOCK) == 0);
  assert(read(pair[0], bytes, 1) == -1 && errno == EAGAIN);
  close(pair[1]);
  assert(write(pair[0], "x", 1) == -1 && errno == EPIPE);
  for (int i = 0; i < 3; i++) finish(threads[i]);
  return 0;
}
