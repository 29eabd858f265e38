// Timers that send signals, interrupt waits and start threads.
#define _GNU_SOURCE
#include <semaphore.h>
#include <signal.h>
#include <sys/time.h>
#include <unistd.h>

#include "program.h"

static sem_t expired;
static volatile sig_atomic_t alarms;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int counter;

static void count_alarms(int number) { alarms += number == SIGALRM; }

static void count_expiries(union sigval value) {
  pthread_mutex_lock(&lock);
  counter += value.sival_int;
  pthread_mutex_unlock(&lock);
  sem_post(&expired);
}

static void* count(void* unused) {
  for (int i = 0; i < 5; i++) {
    pthread_mutex_lock(&lock);
    counter++;
    pthread_mutex_unlock(&lock);
  }
  return unused;
}

int main(void) {
  sem_init(&expired, 0, 0);
  struct sigaction action = {.sa_handler = count_alarms};
  sigaction(SIGALRM, &action, NULL);
  pthread_t thread = start(count);

  struct sigevent event = {.sigev_notify = SIGEV_THREAD};
  event.sigev_notify_function = count_expiries;
  event.sigev_value.sival_int = 7;
  timer_t timer;
  assert(timer_create(CLOCK_MONOTONIC, &event, &timer) == 0);
  struct timespec soon = deadline_in(CLOCK_MONOTONIC, 1);
  assert(timer_settime(timer, TIMER_ABSTIME, &(struct itimerspec){.it_value = soon}, NULL) == 0);
  sem_wait(&expired);
  finish(thread);
  assert(counter == 12 && timer_getoverrun(timer) == 0);
  assert(timer_delete(timer) == 0);

  assert(timer_create(CLOCK_REALTIME, NULL, &timer) == 0);
  soon = deadline_in(CLOCK_REALTIME, 1);
  struct itimerspec again = {.it_value = soon, .it_interval = {0, 1000000}};
  assert(timer_settime(timer, TIMER_ABSTIME, &again, NULL) == 0);
  // One that comes before the wait does not end it: the next one does.
  while (alarms < 1) pause();
  timer_delete(timer);
  setitimer(ITIMER_REAL, &(struct itimerval){{0, 1000}, {0, 1000}}, NULL);
  while (alarms < 9) sem_wait(&expired);
  setitimer(ITIMER_REAL, &(struct itimerval){{0, 0}, {0, 0}}, NULL);
  return 0;
}
