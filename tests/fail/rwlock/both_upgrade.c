// A reader that meets another reader asks for the write lock while it still holds the read lock: it
// waits for all readers, itself among them.
#include "program.h"

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static volatile int readers;

static void* upgrade(void* unused) {
  pthread_rwlock_rdlock(&lock);
  __atomic_fetch_add(&readers, 1, __ATOMIC_SEQ_CST);
  if (readers == 2) {
    pthread_rwlock_wrlock(&lock);
    pthread_rwlock_unlock(&lock);
  }
  __atomic_fetch_sub(&readers, 1, __ATOMIC_SEQ_CST);
  pthread_rwlock_unlock(&lock);
  return unused;
}

int main(void) {
  pthread_t a = start(upgrade), b = start(upgrade);
  finish(a);
  finish(b);
  return 0;
}
