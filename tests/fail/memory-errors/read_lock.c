// A read-write lock in a block that another thread may have freed.
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
static pthread_rwlock_t* block;
static void make(void) {
  block = calloc(1, sizeof *block);
  pthread_rwlock_init(block, NULL);
}
static void use(void) {
  pthread_rwlock_rdlock(block);
  pthread_rwlock_unlock(block);
}
static void close_it(void) { free(block); }

#include "closing.h"
