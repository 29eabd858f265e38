// A repeated string instruction on a block that another thread may have freed.
#include <stdlib.h>
#include <string.h>

static char* block;
static char copy[48];
static void make(void) { block = calloc(1, 48); }
static void use(void) {
  void *from = block, *to = copy;
  size_t n = sizeof copy;
  __asm__ volatile("rep movsb" : "+S"(from), "+D"(to), "+c"(n) : : "memory");
}
static void close_it(void) { free(block); }

#include "closing.h"
