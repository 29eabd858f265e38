// A mutex in a block that another thread may have freed.
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
struct guarded {
  int value;
  pthread_mutex_t lock;
};
static struct guarded* block;
static void make(void) {
  block = calloc(1, sizeof *block);
  pthread_mutex_init(&block->lock, NULL);
}
static void use(void) {
  pthread_mutex_lock(&block->lock);
  pthread_mutex_unlock(&block->lock);
}
static void close_it(void) { free(block); }

#include "closing.h"
