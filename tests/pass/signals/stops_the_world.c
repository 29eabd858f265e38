// As garbage collectors do: one thread stops all others by signals, wherever they are, lets them
// wait in the handler and lets them go on; one of them waits for a lock that the stopping thread
// holds.
#define _GNU_SOURCE
#include <semaphore.h>
#include <signal.h>

#include "program.h"

enum { kThreads = 3 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;
static sem_t stopped, barrier;
static int counter, done;

static void stop(int signal) {
  sigset_t set;
  sigfillset(&set);
  sigdelset(&set, SIGUSR2);
  sem_post(&stopped);
  sigsuspend(&set);
  assert(signal == SIGUSR1);
}

static void go_on(int signal) { (void)signal; }

static void* count(void* unused) {
  pthread_mutex_lock(&lock);
  counter++;
  pthread_mutex_unlock(&lock);
  return unused;
}

static void* wait_long(void* unused) {
  pthread_mutex_lock(&lock);
  while (!done) pthread_cond_wait(&never, &lock);
  pthread_mutex_unlock(&lock);
  return unused;
}

static void* wait_at_semaphore(void* unused) {
  while (sem_wait(&barrier) != 0) assert(errno == EINTR);
  return unused;
}

int main(void) {
  struct sigaction action = {.sa_handler = stop};
  sigfillset(&action.sa_mask);
  assert(sigaction(SIGUSR1, &action, NULL) == 0);
  action.sa_handler = go_on;
  sigemptyset(&action.sa_mask);
  assert(sigaction(SIGUSR2, &action, NULL) == 0);
  sem_init(&stopped, 0, 0);
  sem_init(&barrier, 0, 0);
  pthread_mutex_lock(&lock);
  pthread_t threads[kThreads] = {start(count), start(wait_long), start(wait_at_semaphore)};
  for (int i = 0; i < kThreads; i++) pthread_kill(threads[i], SIGUSR1);
  for (int i = 0; i < kThreads; i++) sem_wait(&stopped);
  assert(counter == 0);
  for (int i = 0; i < kThreads; i++) pthread_kill(threads[i], SIGUSR2);
  done = 1;
  pthread_cond_broadcast(&never);
  pthread_mutex_unlock(&lock);
  sem_post(&barrier);
  for (int i = 0; i < kThreads; i++) finish(threads[i]);
  assert(counter == 1);
  return 0;
}
