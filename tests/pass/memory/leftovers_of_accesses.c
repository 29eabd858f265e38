// Threads copy memory that they never wrote, after calls that access shared memory: what the runtime
// leaves there must be the same whether a run is traced or not. It depends on flags at the moment of
// an access, and on addresses of the runtime's own objects.
#include "program.h"

enum { WORDS = 64, THREADS = 3, ROUNDS = 4 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile unsigned long collected[THREADS + 1][ROUNDS * WORDS];
static volatile unsigned char bytes[64];
static volatile int shared;

// Accesses with different flags and at different depths.
static __attribute__((noinline)) int touch(int deep, int self) {
  volatile char frame[96];
  __asm__ volatile("" : "=m"(frame));
  int sum = shared;
  if (sum > self) sum -= 3;
  bytes[(deep + self) % 64] = (unsigned char)deep;  // of one word, by several threads
  shared = sum + self;
  return deep > 0 ? touch(deep - 1, self) + sum : sum;
}

static __attribute__((noinline)) void collect(volatile unsigned long* into) {
  unsigned long leftovers[WORDS];
  __asm__ volatile("" : "=m"(leftovers));
  for (int i = 0; i < WORDS; i++) into[i] = leftovers[i];
}

static void* work(void* number) {
  long self = (long)number;
  for (int i = 0; i < ROUNDS; i++) {
    touch(i, (int)self);
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    collect(&collected[self][i * WORDS]);
  }
  return NULL;
}

int main(void) {
  pthread_t threads[THREADS];
  for (long i = 0; i < THREADS; i++) pthread_create(&threads[i], NULL, work, (void*)i);
  work((void*)(long)THREADS);
  for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
  return 0;
}
