// Messages between two threads over a pair of datagram sockets: each arrives as one, in order, and
// a sender whose messages nobody has taken waits.
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "program.h"

enum { MESSAGES = 40, LARGE = 1000 };
static int ends[2];

static void* send_all(void* unused) {
  char message[LARGE] = {0};
  for (int i = 0; i < MESSAGES; i++) {
    message[0] = (char)i;
    size_t size = (size_t)(i % 2 ? LARGE : 1 + i);
    assert((i % 3 ? write(ends[1], message, size) : send(ends[1], message, size, 0)) ==
           (ssize_t)size);
  }
  return unused;
}

int main(void) {
  assert(socketpair(AF_UNIX, SOCK_DGRAM, 0, ends) == 0);
  int small = 4096;
  assert(setsockopt(ends[1], SOL_SOCKET, SO_SNDBUF, &small, sizeof small) == 0);
  pthread_t sender = start(send_all);
  for (int i = 0; i < MESSAGES; i++) {
    char message[2 * LARGE];
    ssize_t size =
        i % 5 ? read(ends[0], message, sizeof message) : recv(ends[0], message, sizeof message, 0);
    assert(size == (i % 2 ? LARGE : 1 + i) && message[0] == i);
  }
  finish(sender);
  return 0;
}
