#include "harness/reporting_code.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static int x, y, r1, r2;
static atomic_int flag, count;

static void together(void* (*first)(void*), void* (*second)(void*)) {
  pthread_t threads[2];
  pthread_create(&threads[0], NULL, first, NULL);
  pthread_create(&threads[1], NULL, second, NULL);
  pthread_join(threads[0], NULL);
  pthread_join(threads[1], NULL);
}

static void* increment(void* unused) {
  x = x + 1;
  return unused;
}

int lost_update(void) {
  x = 0;
  together(increment, increment);
  return x;
}

static void* add_one(void* unused) {
  atomic_fetch_add(&count, 1);
  return unused;
}

int atomic_update(void) {
  count = 0;
  together(add_one, add_one);
  return count;
}

static void* left(void* unused) {
  x = 1;
  r1 = y;
  return unused;
}

static void* right(void* unused) {
  y = 1;
  r2 = x;
  return unused;
}

int store_buffering(void) {
  x = y = r1 = r2 = 0;
  together(left, right);
  return 2 * r1 + r2;
}

static void* writer(void* unused) {
  x = 42;
  atomic_store(&flag, 1);
  return unused;
}

static void* reader(void* unused) {
  r1 = atomic_load(&flag) != 0 ? x : -1;
  return unused;
}

int message_passing(void) {
  x = r1 = 0;
  flag = 0;
  together(writer, reader);
  return r1;
}

static int kept_calls;

static void* count_one(void* unused) {
  ++kept_calls;
  return unused;
}

int count_calls(void) {
  together(count_one, add_one);
  return 0;
}
