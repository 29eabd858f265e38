// A loop follows pointers, one of which another thread clears: the fault comes between accesses
// that patched code has checked together.
#include "program.h"

enum { NODES = 64 };

struct node {
  long before;
  long* value;
  long after;
};
static struct node nodes[NODES];
static long values[NODES];
static volatile int clears;

static void* clear(void* unused) {
  clears = 1;
  return unused;
}

static __attribute__((noinline)) long walk(int last) {
  long sum = 0;
  for (int i = 0; i < NODES; i++) {
    struct node* n = &nodes[i];
    sum += n->before + n->after;
    if (i == last && clears) n->value = NULL;
    n->after = sum + *n->value;
  }
  return sum;
}

int main(void) {
  pthread_t thread;
  for (int i = 0; i < NODES; i++) nodes[i].value = &values[i];
  pthread_create(&thread, NULL, clear, NULL);
  long sum = walk(NODES - 1) + walk(NODES / 2);
  pthread_join(thread, NULL);
  return sum == 1;
}
