// The process ends from a thread while others run and main waits; what it does at its end still
// uses threads.
#include <unistd.h>

#include "program.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int counter;

static void* count_for_ever(void* unused) {
  for (;;) {
    pthread_mutex_lock(&lock);
    counter++;
    pthread_mutex_unlock(&lock);
    sched_yield();
  }
  return unused;
}

static void* count(void* unused) {
  pthread_mutex_lock(&lock);
  counter++;
  pthread_mutex_unlock(&lock);
  return unused;
}

static void at_end(void) { finish(start(count)); }

static void* leave(void* unused) {
  exit(0);
  return unused;
}

int main(void) {
  atexit(at_end);
  start(count_for_ever);
  start(leave);
  for (;;) pause();
}
