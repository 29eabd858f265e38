// A release of an address inside a block, which another thread may have chosen. The bytes before it
// look like the head of a small block, so that the C library takes it.
#include <stdlib.h>
#include <string.h>

static size_t* block;
static size_t* given;
static void make(void) {
  block = calloc(16, sizeof *block);
  block[3] = 0x21;
  given = NULL;
}
static void use(void) { free(__atomic_load_n(&given, __ATOMIC_ACQUIRE)); }
static void close_it(void) { __atomic_store_n(&given, block + 4, __ATOMIC_RELEASE); }

#include "closing.h"
