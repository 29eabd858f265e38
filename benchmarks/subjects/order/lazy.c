// Three threads under one mutex: one adds 1, one adds 2, one fails if the sum is already 3. The
// bug: the checker must come last of the three. The lock admits six orders and two of them fail: 1
// random walk in 3 (computed).
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile int data;

static void* add_one(void* unused) {
  pthread_mutex_lock(&lock);
  data = data + 1;
  pthread_mutex_unlock(&lock);
  return unused;
}

static void* add_two(void* unused) {
  pthread_mutex_lock(&lock);
  data = data + 2;
  pthread_mutex_unlock(&lock);
  return unused;
}

static void* check(void* unused) {
  pthread_mutex_lock(&lock);
  assert(data < 3);
  pthread_mutex_unlock(&lock);
  return unused;
}

int main(void) {
  pthread_t threads[3];
  pthread_create(&threads[0], 0, check, 0);
  pthread_create(&threads[1], 0, add_one, 0);
  pthread_create(&threads[2], 0, add_two, 0);
  for (int i = 0; i < 3; i++) pthread_join(threads[i], 0);
  return 0;
}
