// Three tasks append their digit to a string once a round; a round begins when the one before it is
// over, so a run has 6 ^ ROUNDS orders. The bug: one of all these strings is refused. How much of
// it is right so far is noted with each digit. A random order finds 15 rounds once in 4.7e11 runs;
// no round of the refused string is in the order in which the tasks become ready. In the right
// program each task has a place of its own in the string.
#include "loop.h"

#ifndef N
#define N 1
#endif
enum { TASKS = 3, ROUNDS = (10 * N + 20) / 2, DIGITS = TASKS * ROUNDS };

static const char refused[35][TASKS + 1] = {
    "213", "321", "132", "312", "231", "132", "213", "231", "321", "312", "213", "132",
    "321", "231", "312", "132", "321", "213", "312", "321", "231", "213", "132", "231",
    "312", "213", "321", "312", "132", "231", "321", "213", "231", "132", "312"};
static char text[DIGITS + 1];
static int length, matched, left;
static struct Source tasks[TASKS];

static void append(char digit) {
#ifdef RIGHT
  int place = length / TASKS * TASKS + (digit - '1');
#else
  int place = length;
#endif
  text[place] = digit;
  length++;
  if (matched == place && digit == refused[place / TASKS][place % TASKS]) matched = place + 1;
}

static void begin_round(void);

static void turn(void* task) {
  append((char)('1' + (intptr_t)task));
  if (--left == 0 && length < DIGITS) begin_round();
}

static void begin_round(void) {
  left = TASKS;
  for (intptr_t i = 0; i < TASKS; i++) loop_post(&tasks[i], turn, (void*)i);
}

int main(void) {
  loop_begin();
  begin_round();
  loop_run();
  assert(length == DIGITS);
  assert(matched < DIGITS);
  return 0;
}
