// What the small test programs share: starting and joining threads in one word, and deadlines for
// the timed calls.
#pragma once
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

static inline pthread_t start_with(void* (*body)(void*), void* argument) {
  pthread_t thread;
  int error = pthread_create(&thread, NULL, body, argument);
  assert(error == 0);
  return thread;
}

static inline pthread_t start(void* (*body)(void*)) { return start_with(body, NULL); }

static inline void* finish(pthread_t thread) {
  void* result = NULL;
  int error = pthread_join(thread, &result);
  assert(error == 0);
  return result;
}

static inline struct timespec deadline_in(clockid_t clock, long milliseconds) {
  struct timespec t;
  clock_gettime(clock, &t);
  t.tv_nsec += milliseconds % 1000 * 1000000;
  t.tv_sec += milliseconds / 1000 + t.tv_nsec / 1000000000;
  t.tv_nsec %= 1000000000;
  return t;
}
