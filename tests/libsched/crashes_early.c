/* One thread uses a pointer that the other one sets, between accesses that race. */
#include <pthread.h>
#include <stdlib.h>
static int* volatile p;
static volatile int n;
static void* a(void* u) {
  n = n + 1;
  *p = 3;
  n = n + 1;
  return u;
}
static void* b(void* u) {
  n = n + 2;
  p = malloc(4);
  n = n * 2;
  return u;
}
int main(void) {
  pthread_t t, v;
  pthread_create(&t, 0, a, 0);
  pthread_create(&v, 0, b, 0);
  pthread_join(t, 0);
  pthread_join(v, 0);
  return 0;
}
