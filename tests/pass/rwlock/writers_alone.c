// A writer excludes readers and writers.
#include "program.h"

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static volatile int left, right;

static void* write_pair(void* unused) {
  for (int i = 0; i < 2; i++) {
    pthread_rwlock_wrlock(&lock);
    left = left + 1;
    right = right + 1;
    pthread_rwlock_unlock(&lock);
  }
  return unused;
}

static void* read_pair(void* unused) {
  for (int i = 0; i < 2; i++) {
    pthread_rwlock_rdlock(&lock);
    assert(left == right);
    pthread_rwlock_unlock(&lock);
  }
  return unused;
}

int main(void) {
  pthread_t a = start(write_pair), b = start(read_pair), c = start(write_pair);
  finish(a);
  finish(b);
  finish(c);
  assert(left == 4);
  return 0;
}
