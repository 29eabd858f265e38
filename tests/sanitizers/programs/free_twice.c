// Two of the threads that give up a reference may both free the block, each at any time after the
// other: the second one may do so while a third reports the same error.
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static struct {
  atomic_int references;
  char* data;
} buffer;

static void* release(void* unused) {
  atomic_fetch_sub(&buffer.references, 1);
  if (atomic_load(&buffer.references) == 0) free(buffer.data);
  return unused;
}

int main(void) {
  buffer.data = malloc(32);
  buffer.references = 3;
  pthread_t threads[2];
  for (int i = 0; i < 2; i++) pthread_create(&threads[i], NULL, release, NULL);
  release(NULL);
  for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
  return 0;
}
