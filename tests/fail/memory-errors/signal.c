// A condition variable in a block that another thread may have freed.
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
static pthread_cond_t* block;
static void make(void) {
  block = calloc(1, sizeof *block);
  pthread_cond_init(block, NULL);
}
static void use(void) { pthread_cond_signal(block); }
static void close_it(void) { free(block); }

#include "closing.h"
