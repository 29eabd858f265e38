// Opening a pipe looks at its shared state while another thread closes the last end and clears that
// state. The bug: the pointer is read after the close; the check that it is there was made before.
// One preemption between check and use: 4 random walks in 9 (computed).
#include <pthread.h>
#include <stdlib.h>

struct pipe_state {
  volatile int readers;
};

static struct pipe_state* volatile state;

static void* open_end(void* unused) {
  if (state) state->readers = state->readers + 1;
  return unused;
}

static void* release(void* unused) {
  struct pipe_state* old = state;
  state = NULL;
  free(old);
  return unused;
}

int main(void) {
  pthread_t a, b;
  state = calloc(1, sizeof *state);
  pthread_create(&a, 0, open_end, 0);
  pthread_create(&b, 0, release, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  return 0;
}
