// Locks that are never released lie in memory that is used again: on the heap, in a mapping, in a
// frame of the stack, on the stack of a thread that has ended. Whatever is initialised there next
// is free.
#include <string.h>
#include <sys/mman.h>

#include "program.h"

struct Locks {
  char pad[40];
  pthread_mutex_t mutex;
  pthread_rwlock_t shared;
};

static void use(struct Locks* l) {
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  pthread_rwlock_t shared = PTHREAD_RWLOCK_INITIALIZER;
  l->mutex = mutex;
  l->shared = shared;
  assert(pthread_mutex_trylock(&l->mutex) == 0);
  assert(pthread_rwlock_trywrlock(&l->shared) == 0);
}

static void* on_own_stack(void* unused) {
  struct Locks l;
  use(&l);
  return unused;
}

int main(void) {
  for (int i = 0; i < 3; i++) {
    struct Locks* l = malloc(sizeof *l);
    use(l);
    free(l);
    // Part of a larger block of another shape.
    char* block = malloc(3 * sizeof *l);
    use((struct Locks*)(block + 16));
    free(block);
    block = realloc(calloc(1, 100), 2000);
    use((struct Locks*)(block + 80));
    free(block);
    l = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    use(l);
    munmap(l, 4096);
    finish(start(on_own_stack));
    on_own_stack(NULL);
  }
  return 0;
}
