// bytes_of_writers KIND SEED: three threads send bytes that say which of them it was, through a
// pipe, stream or datagram sockets, or a connection. For each call that receives, the program
// prints the senders of what it got, each once, in order.
#include <arpa/inet.h>
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

enum { kWriters = 3, kSends = 5, kMostBytes = 9 };

static int in, out, messages;
static unsigned drawn;
static size_t sizes[kWriters][kSends];
static pthread_mutex_t until_the_end = PTHREAD_MUTEX_INITIALIZER;
static char line[4096];

static size_t draw(size_t most) {
  drawn = drawn * 1103515245 + 12345;
  return 1 + (drawn >> 16) % most;
}

static void* sends(void* number) {
  long self = (long)number;
  char bytes[kMostBytes];
  memset(bytes, '1' + (int)self, sizeof bytes);
  for (int i = 0; i < kSends; ++i) {
    size_t n = sizes[self][i];
    struct iovec parts[2] = {{bytes, n / 2}, {bytes, n - n / 2}};
    assert((i % 2 == 0 ? write(out, bytes, n) : writev(out, parts, 2)) == (ssize_t)n);
  }
  return NULL;
}

// So that the reader is never alone, and each of its calls a step.
static void* waits(void* unused) {
  pthread_mutex_lock(&until_the_end);
  return unused;
}

static void make(const char* kind) {
  int ends[2];
  if (strcmp(kind, "pipe") == 0) {
    assert(pipe(ends) == 0);
  } else if (strcmp(kind, "connection") == 0) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    socklen_t size = sizeof address;
    int listener = socket(AF_INET, SOCK_STREAM, 0);
    assert(bind(listener, (struct sockaddr*)&address, size) == 0 && listen(listener, 1) == 0);
    assert(getsockname(listener, (struct sockaddr*)&address, &size) == 0);
    ends[1] = socket(AF_INET, SOCK_STREAM, 0);
    assert(connect(ends[1], (struct sockaddr*)&address, size) == 0);
    ends[0] = accept(listener, NULL, NULL);
    assert(ends[0] >= 0);
  } else {
    messages = strcmp(kind, "datagrams") == 0;
    assert(socketpair(AF_UNIX, messages ? SOCK_DGRAM : SOCK_STREAM, 0, ends) == 0);
  }
  in = ends[0];
  out = ends[1];
}

static ssize_t receive(char* to, size_t n, int way, int* peeks) {
  struct iovec parts[2] = {{to, n / 3}, {to + n / 3, n - n / 3}};
  struct msghdr message = {.msg_iov = parts, .msg_iovlen = 2};
  *peeks = way == 2;
  switch (way) {
    case 1: return read(in, to, n);
    case 2: return recv(in, to, n, MSG_PEEK);
    case 3: return readv(in, parts, 2);
    case 4: return recvmsg(in, &message, 0);
    default: return recv(in, to, n, 0);
  }
}

int main(int count, char** words) {
  assert(count == 3);
  make(words[1]);
  int ways = strcmp(words[1], "pipe") == 0 ? 2 : 5;
  drawn = (unsigned)atoi(words[2]);
  size_t left = 0;
  for (int i = 0; i < kWriters * kSends; ++i) {
    left += sizes[i / kSends][i % kSends] = draw(kMostBytes);
  }
  size_t calls = kWriters * kSends;
  pthread_t threads[kWriters + 1];
  pthread_mutex_lock(&until_the_end);
  for (long i = 0; i <= kWriters; ++i) {
    pthread_create(&threads[i], NULL, i < kWriters ? sends : waits, (void*)i);
  }
  while (messages ? calls > 0 : left > 0) {
    char bytes[20] = "", senders[20] = "";
    int way = (int)draw((size_t)ways), peeks = 0;
    if (ways == 2 && way == 2) way = 3;
    ssize_t got = receive(bytes, draw(14), way, &peeks);
    assert(got > 0);
    for (ssize_t i = 0; i < got; ++i) {
      if (strchr(senders, bytes[i]) == NULL) strncat(senders, &bytes[i], 1);
    }
    strcat(line, senders);
    strcat(line, " ");
    left -= peeks ? 0 : (size_t)got;
    calls -= peeks ? 0 : 1;
  }
  pthread_mutex_unlock(&until_the_end);
  for (int i = 0; i <= kWriters; ++i) pthread_join(threads[i], NULL);
  puts(line);
  return 0;
}
