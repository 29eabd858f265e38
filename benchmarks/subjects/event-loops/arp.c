// A query for a hardware address sends a probe and, when told that it is sent, registers itself as
// waiting; the answer fills the cache and wakes the waiting query. The bug: if the answer is handed
// out before the notice that the probe is sent, the query waits although the cache has its address;
// its retry timer, in user space, notices that. The right program waits before it sends.
#include "loop.h"

enum { RETRY = 20, RETRIES = 3 };

static int complete, waiting, resolved, retries;
static int wire[2];  // ours, the neighbour's
static struct Source answer_readable, probe_readable, probe_sent;
static struct Timer retry_timer;

static void send_probe(void) { loop_send(wire[0], "?", 1); }

static void retry(void* timer) {
  assert(!(waiting && complete) && "the query waits for what the cache has");
  if (!complete && retries++ < RETRIES) send_probe();
  loop_timer(timer, RETRY, retry);
}

static void take_probe(void* unused) {
  char probe;
  (void)unused;
  if (read(wire[1], &probe, 1) == 1) loop_send(wire[1], "!", 1);
}

static void take_answer(void* unused) {
  char answer;
  (void)unused;
  if (read(wire[0], &answer, 1) != 1) return;
  complete = 1;
  if (!waiting) return;
  waiting = 0;
  resolved = 1;
  loop_cancel(&retry_timer);
  loop_forget(&answer_readable);
  loop_forget(&probe_readable);
}

static void wait_for_answer(void* unused) {
  (void)unused;
#ifndef RIGHT
  waiting = 1;
#endif
}

static void query(void) {
#ifdef RIGHT
  waiting = 1;
#endif
  loop_post(&probe_sent, wait_for_answer, 0);
  send_probe();
  loop_timer(&retry_timer, RETRY, retry);
}

int main(void) {
  loop_begin();
  loop_connect(wire);
  loop_watch(&answer_readable, wire[0], take_answer, 0);
  loop_watch(&probe_readable, wire[1], take_probe, 0);
  query();
  loop_run();
  assert(resolved);
  return 0;
}
