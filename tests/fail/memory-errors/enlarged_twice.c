// realloc of a block that another thread may have freed.
#include <stdlib.h>
#include <string.h>

static int closed;
static char* block;
static void* volatile other;
static void make(void) { block = calloc(1, 40); }
static void use(void) {
  __atomic_store_n(&closed, 1, __ATOMIC_RELEASE);
  other = realloc(block, 30);
}
static void close_it(void) {
  free(block);
  other = malloc(40);
}

#include "closing.h"
