// pthread_exit deep inside calls ends the thread with its value.
#include "program.h"

static void inner(void) { pthread_exit((void*)42L); }
static void outer(void) { inner(); }

static void* body(void* unused) {
  outer();
  assert(!"not reached");
  return unused;
}

int main(void) {
  pthread_t a = start(body), b = start(body);
  assert(finish(a) == (void*)42L);
  assert(finish(b) == (void*)42L);
  return 0;
}
