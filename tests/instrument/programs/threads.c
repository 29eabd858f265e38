// Threads that share data under atomics and a mutex.
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long guarded;
static atomic_long counted, exchanged;
static _Thread_local long own;

static void* Work(void* argument) {
  for (long i = 0; i < 2000; i++) {
    pthread_mutex_lock(&lock);
    guarded += i;
    pthread_mutex_unlock(&lock);
    atomic_fetch_add(&counted, 1);
    long seen = atomic_load(&exchanged);
    while (!atomic_compare_exchange_weak(&exchanged, &seen, seen + 3)) {
    }
    own += i;
  }
  return (void*)(own + (long)argument);
}

int main(void) {
  pthread_t threads[4];
  long sum = 0;
  for (long i = 0; i < 4; i++) pthread_create(&threads[i], NULL, Work, (void*)i);
  for (int i = 0; i < 4; i++) {
    void* result;
    pthread_join(threads[i], &result);
    sum += (long)result;
  }
  printf("%ld %ld %ld %ld\n", guarded, counted, exchanged, sum);
  return 0;
}
