/* Whoever asks too early uses a block that is freed before. */
#include <pthread.h>
#include <stdlib.h>

struct node {
  int value;
  char rest[60];
};
static struct node* shared;
static int stopped;

static void* use(void* unused) {
  struct node* n = shared;
  if (!__atomic_load_n(&stopped, __ATOMIC_SEQ_CST)) {
    n->value++; /* found here */
  }
  return unused;
}

int main(void) {
  shared = calloc(1, sizeof *shared);
  pthread_t thread;
  pthread_create(&thread, NULL, use, NULL);
  __atomic_store_n(&stopped, 1, __ATOMIC_SEQ_CST);
  free(shared);
  pthread_join(thread, NULL);
  return 0;
}
