// A write of the byte behind a block, at a position that another thread may have moved.
#include <stdlib.h>
#include <string.h>

static size_t position;
static char* block;
static void make(void) { block = calloc(1, 21); }
static void use(void) { block[__atomic_load_n(&position, __ATOMIC_ACQUIRE)] = 1; }
static void close_it(void) { __atomic_store_n(&position, 21, __ATOMIC_RELEASE); }

#include "closing.h"
