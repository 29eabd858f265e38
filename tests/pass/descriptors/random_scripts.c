// Random scripts of writes, reads, closes, duplicates and registrations against a model of what
// epoll may answer: what it hands out is ready, an edge is told once, a one-shot registration once,
// nothing that is ready is missing for ever, and what was closed or removed does not come.
#include <errno.h>
#include <fcntl.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "program.h"

enum { PIPES = 4, ACTIONS = 60 };

struct Pipe {
  int in, out, copy;
  int bytes;       // unread
  int registered;  // 0: no; else the events asked for
  int armed;       // one-shot: may be told
  int edges;       // edge-triggered: writes since it was told
};

static struct Pipe pipes[PIPES];
static int loop;
static uint32_t state;

static uint32_t draw(uint32_t below) {
  state = state * 1664525u + 1013904223u;
  return (state >> 16) % below;
}

static void open_pipe(struct Pipe* p) {
  int ends[2];
  assert(pipe(ends) == 0 && fcntl(ends[0], F_SETFL, O_NONBLOCK) == 0);
  *p = (struct Pipe){.in = ends[0], .out = ends[1], .copy = -1};
}

static void change(struct Pipe* p, int command) {
  static const uint32_t kinds[] = {EPOLLIN, EPOLLIN | EPOLLET, EPOLLIN | EPOLLONESHOT};
  struct epoll_event event = {.events = kinds[draw(3)], .data.u32 = (uint32_t)(p - pipes)};
  int before = p->registered;
  int result = epoll_ctl(loop, command, p->in, &event);
  if (command == EPOLL_CTL_ADD) {
    assert(before ? result == -1 && errno == EEXIST : result == 0);
  } else {
    assert(before ? result == 0 : result == -1 && errno == ENOENT);
  }
  if (result != 0) return;
  p->registered = command == EPOLL_CTL_DEL ? 0 : (int)event.events;
  p->armed = 1;
  p->edges = p->bytes > 0;  // the kernel looks at once
}

static int may_come(const struct Pipe* p) {
  if (!p->registered || p->bytes == 0) return 0;
  if (p->registered & EPOLLONESHOT) return p->armed;
  return !(p->registered & (int)EPOLLET) || p->edges > 0;
}

// Takes all that can come, in as many turns as that needs.
static void wait_for_all(void) {
  for (;;) {
    int expected = 0;
    for (int i = 0; i < PIPES; i++) expected += may_come(&pipes[i]);
    struct epoll_event events[PIPES];
    int n = epoll_wait(loop, events, 1 + (int)draw(PIPES), 0);
    assert(n >= 0 && n <= expected && (n > 0 || expected == 0));
    if (n == 0) return;
    for (int i = 0; i < n; i++) {
      struct Pipe* p = &pipes[events[i].data.u32];
      assert(may_come(p) && events[i].events == EPOLLIN);
      p->edges = 0;
      p->armed = 0;
      if (!(p->registered & (int)(EPOLLET | EPOLLONESHOT))) {
        char bytes[256];
        assert(read(p->in, bytes, sizeof bytes) == p->bytes);
        p->bytes = 0;
      }
      for (int k = 0; k < i; k++) assert(events[k].data.u32 != events[i].data.u32);
    }
  }
}

static void act(void) {
  struct Pipe* p = &pipes[draw(PIPES)];
  char byte;
  switch (draw(8)) {
    case 0:
    case 1:
      assert(write(p->copy >= 0 && draw(2) ? p->copy : p->out, "x", 1) == 1);
      p->bytes++;
      p->edges++;
      break;
    case 2:
      assert(read(p->in, &byte, 1) == (p->bytes > 0 ? 1 : -1));
      p->bytes -= p->bytes > 0;
      break;
    case 3: change(p, EPOLL_CTL_ADD); break;
    case 4: change(p, EPOLL_CTL_MOD); break;
    case 5: change(p, EPOLL_CTL_DEL); break;
    case 6:
      if (p->copy < 0) p->copy = dup(p->out);
      break;
    default:
      close(p->in);
      close(p->out);
      if (p->copy >= 0) close(p->copy);
      open_pipe(p);
  }
}

static void* watch(void* unused) {
  return unused;  // so that the run begins before the first wait, too
}

int main(void) {
  state = (uint32_t)time(NULL) * 2654435761u + 12345u;
  loop = epoll_create1(0);
  for (int i = 0; i < PIPES; i++) open_pipe(&pipes[i]);
  pthread_t thread = start(watch);
  for (int script = 0; script < 40; script++) {
    for (int i = 0; i < ACTIONS; i++) {
      act();
      if (draw(4) == 0) wait_for_all();
    }
  }
  finish(thread);
  return 0;
}
