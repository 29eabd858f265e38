// The once-routine takes a lock; another thread holds that lock and calls pthread_once. If it comes
// while the routine runs, both wait.
#include "program.h"

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void initialise(void) {
  pthread_mutex_lock(&lock);
  pthread_mutex_unlock(&lock);
}

static void* plain(void* unused) {
  pthread_once(&once, initialise);
  return unused;
}

static void* locked(void* unused) {
  pthread_mutex_lock(&lock);
  pthread_once(&once, initialise);
  pthread_mutex_unlock(&lock);
  return unused;
}

int main(void) {
  pthread_t a = start(plain), b = start(locked);
  finish(a);
  finish(b);
  return 0;
}
