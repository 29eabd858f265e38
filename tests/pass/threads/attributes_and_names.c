// Stack size, names, identity: what is set is what is read back.
#define _GNU_SOURCE
#include <string.h>

#include "program.h"

static void* check(void* arg) {
  pthread_attr_t mine;
  size_t size;
  char name[16];
  assert(pthread_getattr_np(pthread_self(), &mine) == 0);
  assert(pthread_attr_getstacksize(&mine, &size) == 0 && size >= 256 * 1024);
  pthread_attr_destroy(&mine);
  pthread_setname_np(pthread_self(), arg);
  assert(pthread_getname_np(pthread_self(), name, sizeof name) == 0);
  assert(strcmp(name, arg) == 0);
  volatile char big[200 * 1024];
  big[0] = big[sizeof big - 1] = 1;
  return (void*)pthread_self();
}

int main(void) {
  pthread_attr_t large;
  pthread_t a, b;
  pthread_attr_init(&large);
  pthread_attr_setstacksize(&large, 512 * 1024);
  assert(pthread_create(&a, &large, check, "first") == 0);
  assert(pthread_create(&b, &large, check, "second") == 0);
  assert(!pthread_equal(a, b));
  assert(pthread_equal((pthread_t)finish(a), a));
  assert(pthread_equal((pthread_t)finish(b), b));
  pthread_attr_destroy(&large);
  return 0;
}
