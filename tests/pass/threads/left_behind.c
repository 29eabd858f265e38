// The program ends while one thread waits in a loop, one on a condition and one may not have begun:
// whatever they still do, its end comes.
#include <sched.h>

#include "program.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;
static _Atomic int told, seen;

static void* loop(void* unused) {
  while (told < 2) sched_yield();
  return unused;
}

static void* sleep_on(void* unused) {
  pthread_mutex_lock(&lock);
  while (told < 2) pthread_cond_wait(&never, &lock);
  pthread_mutex_unlock(&lock);
  return unused;
}

static void* note(void* unused) {
  seen = 1;
  return unused;
}

static void at_the_end(void) {
  told = 1;
  assert(seen <= 1);
}

int main(void) {
  atexit(at_the_end);
  start(loop);
  start(sleep_on);
  start(note);
  exit(0);
}
