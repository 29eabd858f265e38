// One thread uses a block unless it is closed, another closes it. The first looks and uses in two
// steps, so that the other may come between; with REPAIRED a lock makes them one. A program defines
// make(), use() and close_it(), and includes this file behind them.
#pragma once
#include "program.h"

static pthread_mutex_t both = PTHREAD_MUTEX_INITIALIZER;
static int closed;

static void enter(void) {
#ifdef REPAIRED
  pthread_mutex_lock(&both);
#endif
}

static void leave(void) {
#ifdef REPAIRED
  pthread_mutex_unlock(&both);
#endif
}

static void* user(void* unused) {
  enter();
  if (__atomic_load_n(&closed, __ATOMIC_ACQUIRE) == 0) {
    use();
  }
  leave();
  return unused;
}

static void* closer(void* unused) {
  enter();
  if (__atomic_load_n(&closed, __ATOMIC_ACQUIRE) == 0) {
    __atomic_store_n(&closed, 1, __ATOMIC_RELEASE);
    close_it();
  }
  leave();
  return unused;
}

int main(void) {
  make();
  pthread_t first = start(user), second = start(closer);
  finish(first);
  finish(second);
  pthread_mutex_destroy(&both);
  return 0;
}
