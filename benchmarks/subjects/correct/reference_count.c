// Threads drop references to one object; the last one frees it. Correct: exactly one of them sees
// the count reach zero.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

enum { THREADS = 4 };

struct object {
  atomic_int references;
  volatile int payload;
};

static atomic_int freed;

static void* drop(void* arg) {
  struct object* o = arg;
  assert(o->payload == 42);
  if (atomic_fetch_sub(&o->references, 1) == 1) {
    o->payload = 0;
    free(o);
    atomic_fetch_add(&freed, 1);
  }
  return 0;
}

int main(void) {
  pthread_t threads[THREADS];
  struct object* o = malloc(sizeof *o);
  atomic_init(&o->references, THREADS);
  o->payload = 42;
  for (int i = 0; i < THREADS; i++) pthread_create(&threads[i], 0, drop, o);
  for (int i = 0; i < THREADS; i++) pthread_join(threads[i], 0);
  assert(atomic_load(&freed) == 1);
  return 0;
}
