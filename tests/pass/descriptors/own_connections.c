// Connections of a program with itself: two families, an event loop as the server, clients that
// wait and one that does not, names of the ends, half-closed connections.
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "program.h"

enum { CLIENTS = 3 };
static struct sockaddr_in internet = {.sin_family = AF_INET};
static struct sockaddr_un local = {.sun_family = AF_UNIX};

static int connected(long number) {
  int is_internet = number % 2 == 0;
  int fd = socket(is_internet ? AF_INET : AF_UNIX, SOCK_STREAM, 0);
  const struct sockaddr* to =
      is_internet ? (struct sockaddr*)&internet : (struct sockaddr*)&local;
  socklen_t size = is_internet ? sizeof internet : sizeof local;
  if (number != 2) {
    assert(connect(fd, to, size) == 0);
    return fd;
  }
  assert(fcntl(fd, F_SETFL, O_NONBLOCK) == 0);
  int result = connect(fd, to, size);
  assert(result == 0 || errno == EINPROGRESS);
  struct pollfd p = {.fd = fd, .events = POLLOUT};
  assert(poll(&p, 1, -1) == 1);
  int error = 1;
  socklen_t bytes = sizeof error;
  assert(getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &bytes) == 0 && error == 0);
  assert(fcntl(fd, F_SETFL, 0) == 0);
  return fd;
}

static void* be_client(void* number) {
  int fd = connected((long)number);
  char text[16], answer[16];
  ssize_t n = snprintf(text, sizeof text, "client %ld", (long)number);
  assert(send(fd, text, (size_t)n, 0) == n && shutdown(fd, SHUT_WR) == 0);
  ssize_t got = 0, part;
  while ((part = recv(fd, answer + got, sizeof answer - (size_t)got, 0)) > 0) got += part;
  assert(part == 0 && got == n && memcmp(text, answer, (size_t)n) == 0);
  close(fd);
  return NULL;
}

static void watch(int loop, int fd) {
  struct epoll_event event = {.events = EPOLLIN, .data.fd = fd};
  assert(epoll_ctl(loop, EPOLL_CTL_ADD, fd, &event) == 0);
}

int main(void) {
  snprintf(local.sun_path + 1, sizeof local.sun_path - 1, "own-connections-%d", (int)getpid());
  internet.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  int listeners[2] = {socket(AF_INET, SOCK_STREAM, 0), socket(AF_UNIX, SOCK_STREAM, 0)};
  assert(bind(listeners[0], (struct sockaddr*)&internet, sizeof internet) == 0);
  assert(bind(listeners[1], (struct sockaddr*)&local, sizeof local) == 0);
  socklen_t size = sizeof internet;
  assert(getsockname(listeners[0], (struct sockaddr*)&internet, &size) == 0);
  int loop = epoll_create1(0);
  for (int i = 0; i < 2; i++) {
    assert(listen(listeners[i], 4) == 0);
    watch(loop, listeners[i]);
  }
  pthread_t threads[CLIENTS];
  for (long i = 0; i < CLIENTS; i++) threads[i] = start_with(be_client, (void*)i);
  for (int ended = 0; ended < CLIENTS;) {
    struct epoll_event events[4];
    int n = epoll_wait(loop, events, 4, -1);
    for (int i = 0; i < n; i++) {
      int fd = events[i].data.fd;
      if (fd == listeners[0] || fd == listeners[1]) {
        watch(loop, accept(fd, NULL, NULL));
        continue;
      }
      char bytes[32];
      ssize_t got = read(fd, bytes, sizeof bytes);
      assert(got >= 0);
      if (got > 0) {
        assert(write(fd, bytes, (size_t)got) == got);
      } else {
        assert(epoll_ctl(loop, EPOLL_CTL_DEL, fd, NULL) == 0 && close(fd) == 0);
        ended++;
      }
    }
  }
  for (int i = 0; i < CLIENTS; i++) finish(threads[i]);
  return 0;
}
