// Two readers meet at a barrier while both hold the read lock; a writer gets in before or after
// them.
#include "program.h"

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_barrier_t both;
static volatile int value;

static void* read_it(void* unused) {
  pthread_rwlock_rdlock(&lock);
  int before = value;
  pthread_barrier_wait(&both);
  assert(value == before);
  pthread_rwlock_unlock(&lock);
  return unused;
}

int main(void) {
  pthread_barrier_init(&both, NULL, 2);
  pthread_t a = start(read_it), b = start(read_it);
  finish(a);
  finish(b);
  pthread_rwlock_wrlock(&lock);
  value = 1;
  pthread_rwlock_unlock(&lock);
  return 0;
}
