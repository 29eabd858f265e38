// Double-checked initialisation with an atomic pointer. Correct: built once, and nobody sees it
// half built.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct config {
  int width, height;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static _Atomic(struct config*) config;
static volatile int built;

static struct config* get(void) {
  struct config* c = atomic_load(&config);
  if (c) return c;
  pthread_mutex_lock(&lock);
  c = atomic_load(&config);
  if (!c) {
    c = malloc(sizeof *c);
    c->width = 640;
    c->height = 480;
    built = built + 1;
    atomic_store(&config, c);
  }
  pthread_mutex_unlock(&lock);
  return c;
}

static void* use(void* unused) {
  struct config* c = get();
  assert(c->width == 640 && c->height == 480);
  return unused;
}

int main(void) {
  pthread_t threads[3];
  for (int i = 0; i < 3; i++) pthread_create(&threads[i], 0, use, 0);
  for (int i = 0; i < 3; i++) pthread_join(threads[i], 0);
  assert(built == 1);
  free(atomic_load(&config));
  return 0;
}
