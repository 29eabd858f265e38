// A read in the middle of a large block that another thread may have freed.
#include <stdlib.h>
#include <string.h>

static char* block;
static char* volatile behind;
static volatile char seen;
static void make(void) {
  block = calloc(1, 100000);
  behind = malloc(10);
}
static void use(void) { seen = block[50001]; }
static void close_it(void) { free(block); }

#include "closing.h"
