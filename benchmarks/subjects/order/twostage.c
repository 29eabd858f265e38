// WRITERS threads publish in two stages, each under its own lock: first data1, then data2 = data1
// + 1. READERS threads read both in the same order. The bug: a reader runs both its critical
// sections after the first stage one and before any stage two. One pair of threads shows it in 1 of
// 32 random walks (computed); with 100 of each, some writer has nearly always been through stage
// two before the first reader arrives at it.
#include <assert.h>
#include <pthread.h>

#ifndef WRITERS
#define WRITERS 1
#endif
#ifndef READERS
#define READERS WRITERS
#endif

static pthread_mutex_t lock1 = PTHREAD_MUTEX_INITIALIZER, lock2 = PTHREAD_MUTEX_INITIALIZER;
static volatile int data1, data2;

static void* publish(void* unused) {
  pthread_mutex_lock(&lock1);
  data1 = 1;
  pthread_mutex_unlock(&lock1);
  pthread_mutex_lock(&lock2);
  data2 = data1 + 1;
  pthread_mutex_unlock(&lock2);
  return unused;
}

static void* consume(void* unused) {
  pthread_mutex_lock(&lock1);
  int first = data1;
  pthread_mutex_unlock(&lock1);
  if (first == 0) return unused;
  pthread_mutex_lock(&lock2);
  int second = data2;
  pthread_mutex_unlock(&lock2);
  assert(second == first + 1);
  return unused;
}

int main(void) {
  pthread_t writers[WRITERS], readers[READERS];
  for (int i = 0; i < WRITERS; i++) pthread_create(&writers[i], 0, publish, 0);
  for (int i = 0; i < READERS; i++) pthread_create(&readers[i], 0, consume, 0);
  for (int i = 0; i < WRITERS; i++) pthread_join(writers[i], 0);
  for (int i = 0; i < READERS; i++) pthread_join(readers[i], 0);
  return 0;
}
