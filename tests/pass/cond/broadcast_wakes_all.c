// One broadcast starts all waiters, those who are late find the flag already set.
#include "program.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t started = PTHREAD_COND_INITIALIZER;
static int go, ran;

static void* runner(void* unused) {
  pthread_mutex_lock(&lock);
  while (!go) pthread_cond_wait(&started, &lock);
  ran++;
  pthread_mutex_unlock(&lock);
  return unused;
}

int main(void) {
  pthread_t t[3];
  for (int i = 0; i < 3; i++) t[i] = start(runner);
  pthread_mutex_lock(&lock);
  go = 1;
  pthread_mutex_unlock(&lock);
  pthread_cond_broadcast(&started);
  for (int i = 0; i < 3; i++) finish(t[i]);
  assert(ran == 3);
  return 0;
}
