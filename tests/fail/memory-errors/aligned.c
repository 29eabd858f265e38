// A write to a block of great alignment that another thread may have freed.
#include <assert.h>
#include <stdlib.h>
#include <string.h>
static char* block;
static void make(void) {
  void* made = NULL;
  assert(posix_memalign(&made, 256, 100) == 0);
  block = made;
}
static void use(void) { block[99] = 1; }
static void close_it(void) { free(block); }

#include "closing.h"
