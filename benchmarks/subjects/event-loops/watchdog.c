// Several parts of a program start a watchdog for the same folder: if none is registered, the loop
// begins to listen, and two turns later registers one. The bug: a second start for a folder looks
// before the first one has registered; both register, and a change of the folder is reported twice.
// Starts are some turns apart, so that the order in which events become ready is safe. The right
// program looks again before it registers.
#include "loop.h"

enum { STARTS = 4, DELAY = 2, PAUSES = 3 };

static const char folders[STARTS] = {'y', 'x', 'x', 'y'};
static char registered[STARTS];
static int registered_count, begun, pauses, ended, reported;
static int changes[2];
static struct Source starter, change_readable;

static struct Start {
  char folder;
  int delay;
  struct Source listening;
} starts[STARTS];

static int is_registered(char folder) {
  for (int i = 0; i < registered_count; i++) {
    if (registered[i] == folder) return 1;
  }
  return 0;
}

static void take_change(void* unused) {
  char folder;
  (void)unused;
  if (read(changes[0], &folder, 1) != 1) return;
  loop_forget(&change_readable);
  for (int i = 0; i < registered_count; i++) {
    if (registered[i] == folder) reported++;
  }
  assert(reported == 1);
}

static void end_start(void) {
  if (++ended == STARTS) loop_send(changes[1], "x", 1);
}

static void listen_to(void* context) {
  struct Start* start = context;
  if (--start->delay > 0) {
    loop_post(&start->listening, listen_to, start);
    return;
  }
#ifdef RIGHT
  if (is_registered(start->folder)) {
    end_start();
    return;
  }
#endif
  registered[registered_count++] = start->folder;
  end_start();
}

static void start_watchdog(struct Start* start, char folder) {
  if (is_registered(folder)) {
    end_start();
    return;
  }
  start->folder = folder;
  start->delay = DELAY;
  loop_post(&start->listening, listen_to, start);
}

static void run_starts(void* unused) {
  if (pauses == 0) {
    start_watchdog(&starts[begun], folders[begun]);
    begun++;
    pauses = PAUSES;
  } else {
    pauses--;
  }
  if (begun < STARTS) loop_post(&starter, run_starts, unused);
}

int main(void) {
  loop_begin();
  loop_check(pipe(changes), "pipe");
  loop_watch(&change_readable, changes[0], take_change, 0);
  loop_post(&starter, run_starts, 0);
  loop_run();
  assert(ended == STARTS && reported == 1);
  return 0;
}
