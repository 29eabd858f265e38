// A compare-exchange in a block that another thread may have freed.
#include <stdlib.h>
#include <string.h>

static long* block;
static void make(void) { block = calloc(4, sizeof *block); }
static void use(void) {
  long old = 0;
  __atomic_compare_exchange_n(&block[2], &old, 5, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
}
static void close_it(void) { free(block); }

#include "closing.h"
