// A semaphore in a block that another thread may have freed.
#include <semaphore.h>
#include <stdlib.h>
#include <string.h>
static sem_t* block;
static void make(void) {
  block = calloc(1, sizeof *block);
  sem_init(block, 0, 0);
}
static void use(void) { sem_post(block); }
static void close_it(void) { free(block); }

#include "closing.h"
