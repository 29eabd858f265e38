// A limiter lets one event through and then none for 50 ms; the last one that came meanwhile
// follows when the time is over. Letting one through starts the limiter's own callback, which
// closes the gate at a later turn and sends a report, an event like the others, over a second pipe.
// The bug: the report is handed out before the gate is closed and passes. One order of two. The
// right program closes the gate before it lets an event through.
#include "loop.h"

enum { PERIOD = 50, EVENTS = 3 };

static int closed, passed_in_period, passed, held;
static int stream[2], reports[2];
static struct Source stream_readable, reports_readable;
static struct Timer period;

static void take_event(void);

static void open_gate(void* timer) {
  (void)timer;
  closed = 0;
  passed_in_period = 0;
  if (held) {
    held = 0;
    take_event();
  } else if (passed == EVENTS) {
    loop_forget(&stream_readable);
    loop_forget(&reports_readable);
  }
}

static void close_gate(void* unused) {
  (void)unused;
  closed = 1;
  loop_timer(&period, PERIOD, open_gate);
}

static void take_event(void) {
  if (closed) {
    held = 1;
    return;
  }
#ifdef RIGHT
  close_gate(0);
#else
  static struct Source closing;
  loop_post(&closing, close_gate, 0);
#endif
  passed++;
  passed_in_period++;
  assert(passed_in_period == 1);
  if (passed < EVENTS) loop_send(reports[1], "r", 1);
}

static void readable(void* context) {
  char event;
  int fd = *(int*)context;
  if (read(fd, &event, 1) == 1) take_event();
}

int main(void) {
  loop_begin();
  loop_check(pipe(stream), "pipe");
  loop_check(pipe(reports), "pipe");
  loop_watch(&stream_readable, stream[0], readable, &stream[0]);
  loop_watch(&reports_readable, reports[0], readable, &reports[0]);
  loop_send(stream[1], "e", 1);
  loop_run();
  assert(passed == EVENTS);
  return 0;
}
