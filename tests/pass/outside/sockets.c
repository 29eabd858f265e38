// Both ends of a connection are threads of one process, and more is sent than fits in between.
#define _GNU_SOURCE
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "program.h"

enum { kBytes = 1 << 20 };
static struct sockaddr_un address = {.sun_family = AF_UNIX};
static char sent[kBytes], received[kBytes];

static void* serve(void* listener) {
  int fd = accept((int)(long)listener, NULL, NULL);
  assert(fd >= 0);
  for (size_t at = 0; at < kBytes;) {
    ssize_t n = recv(fd, received + at, kBytes - at, 0);
    assert(n > 0);
    at += (size_t)n;
  }
  assert(send(fd, "done", 4, 0) == 4);
  close(fd);
  return NULL;
}

static void* drain(void* fd) {
  static char all[kBytes];
  size_t at = 0;
  for (ssize_t n; (n = read((int)(long)fd, all + at, kBytes - at)) > 0; at += (size_t)n) {
  }
  assert(memcmp(all, sent, kBytes) == 0);
  return NULL;
}

int main(void) {
  memset(sent, 'x', kBytes);
  memcpy(address.sun_path + 1, "rff-test-", 9);
  socklen_t size = sizeof address;
  int listener = socket(AF_UNIX, SOCK_STREAM, 0);
  // The kernel chooses a free name.
  assert(bind(listener, (struct sockaddr*)&address, sizeof(sa_family_t)) == 0);
  assert(listen(listener, 1) == 0);
  assert(getsockname(listener, (struct sockaddr*)&address, &size) == 0);
  pthread_t server = start_with(serve, (void*)(long)listener);
  int fd = socket(AF_UNIX, SOCK_STREAM, 0);
  assert(connect(fd, (struct sockaddr*)&address, size) == 0);
  assert(send(fd, sent, kBytes, 0) == kBytes);
  char answer[4];
  assert(recv(fd, answer, 4, MSG_WAITALL) == 4 && memcmp(answer, "done", 4) == 0);
  finish(server);
  assert(memcmp(sent, received, kBytes) == 0);

  int ends[2];
  assert(pipe(ends) == 0);
  pthread_t reader = start_with(drain, (void*)(long)ends[0]);
  assert(write(ends[1], sent, kBytes) == kBytes);
  close(ends[1]);
  finish(reader);
  return 0;
}
