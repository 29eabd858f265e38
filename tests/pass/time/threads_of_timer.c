// A timer that expires again and again starts threads. While these wait for their turn it must not
// start more and more.
#include <signal.h>
#include <stdio.h>

#include "program.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t ticked = PTHREAD_COND_INITIALIZER;
static int ticks;

static void tick(union sigval unused) {
  (void)unused;
  pthread_mutex_lock(&lock);
  ticks++;
  pthread_cond_signal(&ticked);
  pthread_mutex_unlock(&lock);
}

int main(void) {
  timer_t timer;
  struct sigevent event = {.sigev_notify = SIGEV_THREAD};
  event.sigev_notify_function = tick;
  assert(timer_create(CLOCK_MONOTONIC, &event, &timer) == 0);
  struct itimerspec often = {{0, 1000000}, {0, 2000000}};
  assert(timer_settime(timer, 0, &often, NULL) == 0);
  pthread_mutex_lock(&lock);
  while (ticks < 2) pthread_cond_wait(&ticked, &lock);
  pthread_mutex_unlock(&lock);
  return timer_delete(timer);
}
