/* Two threads fill an empty cache: one block is lost. */
#include <pthread.h>
#include <stdlib.h>

static char* volatile cache;

static void* fill(void* unused) {
  if (!cache) {
    cache = malloc(100); /* found here */
  }
  return unused;
}

int main(void) {
  pthread_t a;
  pthread_t b;
  pthread_create(&a, 0, fill, 0);
  pthread_create(&b, 0, fill, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  free(cache);
  cache = 0;
  return 0;
}
