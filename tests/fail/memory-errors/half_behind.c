// An update of four bytes of which two are behind the block.
#include <stdlib.h>
#include <string.h>

static size_t position;
static char* block;
static void make(void) { block = calloc(1, 18); }
static void use(void) { *(int*)(block + __atomic_load_n(&position, __ATOMIC_ACQUIRE)) += 1; }
static void close_it(void) { __atomic_store_n(&position, 16, __ATOMIC_RELEASE); }

#include "closing.h"
