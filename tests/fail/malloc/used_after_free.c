// One thread frees a node while another still follows its pointer; the node is cleared before it
// goes.
#include "program.h"

struct node {
  int* volatile value;
};

static struct node* volatile shared;

static void* use(void* unused) {
  struct node* n = shared;
  if (n) *(volatile int*)n->value = 2;
  return unused;
}

static void* drop(void* unused) {
  struct node* n = shared;
  shared = NULL;
  n->value = NULL;
  free(n);
  return unused;
}

int main(void) {
  static int value = 1;
  shared = malloc(sizeof *shared);
  shared->value = &value;
  pthread_t a = start(use), b = start(drop);
  finish(a);
  finish(b);
  return 0;
}
