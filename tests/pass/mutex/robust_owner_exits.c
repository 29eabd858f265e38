// The owner of a robust mutex ends by pthread_exit, or is cancelled, while another thread waits for
// it: that one gets the mutex.
#include <errno.h>
#include <unistd.h>

#include "program.h"

static pthread_mutex_t mutex;

static void* exits(void* unused) {
  pthread_mutex_lock(&mutex);
  pthread_exit(unused);
}

static void* is_cancelled(void* unused) {
  pthread_mutex_lock(&mutex);
  pause();
  return unused;
}

static void* inherits(void* unused) {
  int error = pthread_mutex_lock(&mutex);
  assert(error == 0 || error == EOWNERDEAD);
  if (error == EOWNERDEAD) {
    pthread_mutex_consistent(&mutex);
  }
  pthread_mutex_unlock(&mutex);
  return unused;
}

static void try_with(void* (*owner)(void*), int cancels) {
  pthread_mutexattr_t robust;
  pthread_mutexattr_init(&robust);
  pthread_mutexattr_setrobust(&robust, PTHREAD_MUTEX_ROBUST);
  pthread_mutex_init(&mutex, &robust);
  pthread_t heir = start(inherits), first = start(owner);
  if (cancels) {
    pthread_cancel(first);
  }
  finish(heir);
  pthread_join(first, NULL);
}

int main(void) {
  try_with(exits, 0);
  try_with(is_cancelled, 1);
  return 0;
}
