// A recursive mutex is unlocked once less than it was locked on a path that is taken only if
// another thread came first.
#define _GNU_SOURCE
#include "program.h"

static pthread_mutex_t lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static volatile int visits;

static void* visit(void* unused) {
  pthread_mutex_lock(&lock);
  visits = visits + 1;
  if (visits == 2) pthread_mutex_lock(&lock);
  pthread_mutex_unlock(&lock);
  return unused;
}

static void* reset(void* unused) {
  pthread_mutex_lock(&lock);
  visits = 0;
  pthread_mutex_unlock(&lock);
  return unused;
}

int main(void) {
  pthread_t a = start(visit), b = start(reset), c = start(visit);
  finish(a);
  finish(b);
  finish(c);
  pthread_mutex_lock(&lock);
  pthread_mutex_unlock(&lock);
  return 0;
}
