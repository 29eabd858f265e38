// Two threads take two locks in opposite order. The bug: each holds one and waits for the other.
// With both threads started every second random walk meets it (computed).
#include <pthread.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static volatile int counter;

static void* a_then_b(void* unused) {
  pthread_mutex_lock(&a);
  pthread_mutex_lock(&b);
  counter = counter + 1;
  pthread_mutex_unlock(&a);
  pthread_mutex_unlock(&b);
  return unused;
}

static void* b_then_a(void* unused) {
  pthread_mutex_lock(&b);
  pthread_mutex_lock(&a);
  counter = counter - 1;
  pthread_mutex_unlock(&b);
  pthread_mutex_unlock(&a);
  return unused;
}

int main(void) {
  pthread_t first, second;
  pthread_create(&first, 0, a_then_b, 0);
  pthread_create(&second, 0, b_then_a, 0);
  pthread_join(first, 0);
  pthread_join(second, 0);
  return 0;
}
