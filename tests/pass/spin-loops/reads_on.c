// Long stretches in which nothing changes in shared memory, and which end by themselves: reading
// through a table, reading one word again and again under a lock.
#include "program.h"

enum { kWords = 4000, kRounds = 1500 };
static volatile int table[kWords];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void* read_all(void* unused) {
  int sum = 0;
  for (int i = 0; i < kWords; i++) {
    sum += table[i];
  }
  assert(sum == kWords);
  return unused;
}

static void* read_one(void* unused) {
  int sum = 0;
  for (int i = 0; i < kRounds; i++) {
    pthread_mutex_lock(&lock);
    sum += table[7];
    pthread_mutex_unlock(&lock);
  }
  assert(sum == kRounds);
  return unused;
}

int main(void) {
  for (int i = 0; i < kWords; i++) {
    table[i] = 1;
  }
  pthread_t threads[] = {start(read_all), start(read_all), start(read_one), start(read_one)};
  for (int i = 0; i < 4; i++) {
    finish(threads[i]);
  }
  return 0;
}
