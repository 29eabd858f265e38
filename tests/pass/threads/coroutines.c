// Threads that run coroutines on stacks of their own making.
#include <ucontext.h>

#include "program.h"

struct Coroutine {
  ucontext_t inside, outside;
  int left;
  char stack[1 << 16];
};

static __thread struct Coroutine* current;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int counter;

static void body(void) {
  struct Coroutine* c = current;
  for (; c->left > 0; c->left--) {
    pthread_mutex_lock(&lock);
    counter++;
    pthread_mutex_unlock(&lock);
    swapcontext(&c->inside, &c->outside);
  }
}

static void* run(void* unused) {
  struct Coroutine* c = malloc(sizeof *c);
  c->left = 3;
  getcontext(&c->inside);
  c->inside.uc_stack.ss_sp = c->stack;
  c->inside.uc_stack.ss_size = sizeof c->stack;
  c->inside.uc_link = &c->outside;
  makecontext(&c->inside, body, 0);
  current = c;
  while (c->left > 0) swapcontext(&c->outside, &c->inside);
  free(c);
  return unused;
}

int main(void) {
  pthread_t a = start(run), b = start(run);
  run(NULL);
  finish(a);
  finish(b);
  assert(counter == 9);
  return 0;
}
