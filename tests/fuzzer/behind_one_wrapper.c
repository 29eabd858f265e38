// Two deadlocks behind one wrapper, each in some schedules, and both reached in several ways.
#include <pthread.h>
#include <stdlib.h>

#define NOT_INLINED __attribute__((noinline))
#define NO_JUMP __asm__ volatile("")  // instead of a call at the end of a function

pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
pthread_mutex_t c = PTHREAD_MUTEX_INITIALIZER, d = PTHREAD_MUTEX_INITIALIZER;
int total;

NOT_INLINED void take(pthread_mutex_t* m) {
  if (pthread_mutex_lock(m) != 0) abort();
  NO_JUMP;
}
NOT_INLINED void drop(pthread_mutex_t* first, pthread_mutex_t* second) {
  total++;
  pthread_mutex_unlock(first);
  pthread_mutex_unlock(second);
}

NOT_INLINED void a_then_b(void) {
  take(&a);
  take(&b);
  drop(&a, &b);
}
NOT_INLINED void b_then_a(void) {
  take(&b);
  take(&a);
  drop(&a, &b);
}
NOT_INLINED void c_then_d(void) {
  take(&c);
  take(&d);
  drop(&c, &d);
}
NOT_INLINED void d_then_c(void) {
  take(&d);
  take(&c);
  drop(&c, &d);
}

// Each in two ways.
static void* one(void* unused) {
  a_then_b();
  c_then_d();
  a_then_b();
  c_then_d();
  return unused;
}
static void* two(void* unused) {
  b_then_a();
  d_then_c();
  b_then_a();
  d_then_c();
  return unused;
}

int main(void) {
  pthread_t threads[2];
  pthread_create(&threads[0], NULL, one, NULL);
  pthread_create(&threads[1], NULL, two, NULL);
  pthread_join(threads[0], NULL);
  pthread_join(threads[1], NULL);
  return 0;
}
