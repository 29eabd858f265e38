// The last thread of a process ends it, and is still there while exit handlers make threads.
#define _GNU_SOURCE
#include <gnu/libc-version.h>
#include <stdlib.h>
#include <string.h>

#include "program.h"

static pthread_t main_thread;
static int made;

static void* set(void* unused) {
  made = 1;
  return unused;
}

static void at_exit(void) {
  pthread_t mine = pthread_self();
  // Newer ones count the new thread as the last one, which would wait for this exit to end.
  if (strverscmp(gnu_get_libc_version(), "2.41") >= 0) return;
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
