// Random scripts on pipes, pairs of sockets and counters: full and empty ones, with ends that are
// shut down, closed, duplicated or used by a child, looked at by poll and by epolls of every kind.
// A child, which runs uncontrolled, asks the kernel the same; the answers must be equal.
#define _GNU_SOURCE
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "program.h"

enum { ENDS = 8, SCRIPTS = 30, ACTIONS = 50, ANSWERS = SCRIPTS * ACTIONS };

struct End {
  int descriptor;  // -1: closed
  int loop;        // an epoll of its own
};

static struct End ends[ENDS];
static long answers[ANSWERS], kernels[ANSWERS];
static char bytes[1 << 17];
static uint32_t state;

static uint32_t draw(uint32_t below) {
  state = state * 1664525u + 1013904223u;
  return (state >> 16) % below;
}

static void make(int first, const int descriptors[2]) {
  for (int i = 0; i < 2; i++) {
    int flags = fcntl(descriptors[i], F_GETFL);
    assert(fcntl(descriptors[i], F_SETFL, flags | O_NONBLOCK) == 0);
    ends[first + i] = (struct End){descriptors[i], epoll_create1(0)};
    assert(ends[first + i].loop >= 0);
  }
}

static void open_all(void) {
  int two[2];
  assert(pipe(two) == 0);
  make(0, two);
  assert(socketpair(AF_UNIX, SOCK_STREAM, 0, two) == 0);
  make(2, two);
  assert(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, two) == 0);
  make(4, two);
  two[0] = eventfd(0, 0);
  two[1] = eventfd(3, EFD_SEMAPHORE);
  make(6, two);
}

static void close_all(void) {
  for (int i = 0; i < ENDS; i++) {
    if (ends[i].descriptor >= 0) close(ends[i].descriptor);
    close(ends[i].loop);
  }
}

static long result_of(long result) { return result >= 0 ? result : -errno; }

static size_t some_bytes(int of_counter) {
  static const size_t sizes[] = {1, 7, 300, 5000, sizeof bytes};
  return of_counter ? 8 : sizes[draw(5)];
}

static long change(struct End* e) {
  static const int commands[] = {EPOLL_CTL_ADD, EPOLL_CTL_MOD, EPOLL_CTL_DEL};
  static const uint32_t ways[] = {0, EPOLLET, EPOLLONESHOT, EPOLLET | EPOLLONESHOT};
  static const uint32_t wanted[] = {EPOLLIN, EPOLLOUT, EPOLLIN | EPOLLOUT | EPOLLRDHUP, 0};
  struct epoll_event event = {.events = wanted[draw(4)] | ways[draw(4)]};
  return result_of(epoll_ctl(e->loop, commands[draw(3)], e->descriptor, &event));
}

static long wait_in_loop(const struct End* e) {
  struct epoll_event event;
  int n = epoll_wait(e->loop, &event, 1, 0);
  return n == 1 ? (long)event.events : result_of(n);
}

static long look(const struct End* e) {
  struct pollfd p = {e->descriptor, POLLIN | POLLOUT | POLLRDHUP, 0};
  int n = poll(&p, 1, 0);
  return n == 1 ? p.revents : result_of(n);
}

static long use_in_child(const struct End* e) {
  pid_t child = fork();
  assert(child >= 0);
  if (child == 0) {
    static const uint64_t one = 1;
    _exit(write(e->descriptor, &one, 8) == 8 ? 1 : 2);
  }
  int status = 0;
  assert(waitpid(child, &status, 0) == child);
  return status;
}

static long act(void) {
  int number = (int)draw(ENDS);
  struct End* e = &ends[number];
  switch (draw(12)) {
    case 0:
    case 1: return result_of(write(e->descriptor, bytes, some_bytes(number >= 6)));
    case 2:
    case 3: return result_of(read(e->descriptor, bytes, some_bytes(number >= 6)));
    case 4:
    case 5: return look(e);
    case 6:
    case 7: return wait_in_loop(e);
    case 8:
    case 9: return change(e);
    case 10: return draw(3) == 0 ? use_in_child(e) : result_of(dup3(e->descriptor, 900, 0));
    default:
      if (draw(2) == 0) return result_of(shutdown(e->descriptor, (int)draw(3)));
      close(e->descriptor);
      e->descriptor = -1;
      return 0;
  }
}

static void run_scripts(long* answered) {
  for (int script = 0; script < SCRIPTS; script++) {
    open_all();
    for (int i = 0; i < ACTIONS; i++) {
      errno = 0;
      *answered++ = act();
      memset(bytes, 1, 8);
    }
    close(900);
    close_all();
  }
}

static void ask_the_kernel(uint32_t seed) {
  int answer[2];
  assert(pipe(answer) == 0);
  pid_t child = fork();
  assert(child >= 0);
  if (child == 0) {
    close(answer[0]);
    state = seed;
    run_scripts(kernels);
    _exit(write(answer[1], kernels, sizeof kernels) == sizeof kernels ? 0 : 1);
  }
  close(answer[1]);
  size_t got = 0;
  for (ssize_t n; (n = read(answer[0], (char*)kernels + got, sizeof kernels - got)) > 0;) {
    got += (size_t)n;
  }
  close(answer[0]);
  int status = 0;
  assert(waitpid(child, &status, 0) == child && status == 0 && got == sizeof kernels);
}

static void* begin(void* unused) { return unused; }

int main(void) {
  signal(SIGPIPE, SIG_IGN);
  memset(bytes, 1, 8);
  finish(start(begin));
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  uint32_t seed = (uint32_t)now.tv_sec * 2654435761u + (uint32_t)now.tv_nsec;
  const char* given = getenv("SCRIPT");
  if (given != NULL) seed = (uint32_t)atoi(given);
  ask_the_kernel(seed);
  state = seed;
  run_scripts(answers);
  for (int i = 0; i < ANSWERS; i++) {
    assert(answers[i] == kernels[i]);
  }
  return 0;
}
