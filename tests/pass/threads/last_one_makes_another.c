// The last thread of a process ends it, and is still there while exit handlers make threads.
#include <stdlib.h>

#include "program.h"

static pthread_t main_thread;
static int made;

static void* set(void* unused) {
  made = 1;
  return unused;
}

static void at_exit(void) {
  pthread_t mine = pthread_self();
  pthread_t another = start(set);
  assert(!pthread_equal(mine, another) && pthread_equal(mine, pthread_self()));
  finish(another);
  assert(made == 1);
}

static void* outlive(void* unused) {
  pthread_join(main_thread, NULL);
  return unused;
}

int main(void) {
  main_thread = pthread_self();
  atexit(at_exit);
  pthread_detach(start(outlive));
  pthread_exit(NULL);
}
