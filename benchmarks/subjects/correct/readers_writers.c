// Two writers keep a pair equal under a read-write lock, two readers compare the two halves.
// Correct: a reader never sees a half-written pair.
#include <assert.h>
#include <pthread.h>

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
  pthread_t threads[4];
  for (int i = 0; i < 4; i++) pthread_create(&threads[i], 0, i % 2 ? write_pair : read_pair, 0);
  for (int i = 0; i < 4; i++) pthread_join(threads[i], 0);
  assert(left == 4);
  return 0;
}
