/* Two threads see room for one. */
#include <limits.h>
#include <pthread.h>

static volatile int total = INT_MAX - 1;

static void* add(void* unused) {
  if (total < INT_MAX) {
    total = total + 1; /* found here */
  }
  return unused;
}

int main(void) {
  pthread_t a;
  pthread_t b;
  pthread_create(&a, 0, add, 0);
  pthread_create(&b, 0, add, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  return 0;
}
