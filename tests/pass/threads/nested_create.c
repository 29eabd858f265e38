// Threads that create and join threads of their own.
#include "program.h"

static int leaves[4];

static void* leaf(void* arg) {
  *(int*)arg = 1;
  return NULL;
}

static void* branch(void* arg) {
  int* mine = arg;
  pthread_t a = start_with(leaf, &mine[0]), b = start_with(leaf, &mine[1]);
  finish(a);
  finish(b);
  assert(mine[0] && mine[1]);
  return NULL;
}

int main(void) {
  pthread_t a = start_with(branch, &leaves[0]), b = start_with(branch, &leaves[2]);
  finish(a);
  finish(b);
  assert(leaves[0] + leaves[1] + leaves[2] + leaves[3] == 4);
  return 0;
}
