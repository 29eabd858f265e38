// The loader holds a lock while it calls the program back: others that need it wait, and go on.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>

#include "program.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int visited;

static int visit(struct dl_phdr_info* info, size_t size, void* data) {
  (void)info, (void)size, (void)data;
  sched_yield();
  pthread_mutex_lock(&lock);
  visited++;
  pthread_mutex_unlock(&lock);
  return 1;
}

static void* look(void* unused) {
  dl_iterate_phdr(visit, NULL);
  return unused;
}

static void* load(void* unused) {
  void* library = dlopen("libm.so.6", RTLD_NOW);
  assert(library != NULL);
  double (*root)(double) = (double (*)(double))dlsym(library, "sqrt");
  assert(root != NULL && root(4) == 2);
  assert(dlclose(library) == 0);
  return unused;
}

int main(void) {
  pthread_t threads[] = {start(look), start(load), start(look), start(load)};
  for (int i = 0; i < 4; i++) finish(threads[i]);
  assert(visited == 2);
  return 0;
}
