// A read of the byte before a block, at a position that another thread may have moved.
#include <stdlib.h>
#include <string.h>

static long position;
static char* block;
static volatile char seen;
static void make(void) { block = calloc(1, 30); }
static void use(void) { seen = block[__atomic_load_n(&position, __ATOMIC_ACQUIRE)]; }
static void close_it(void) { __atomic_store_n(&position, -1, __ATOMIC_RELEASE); }

#include "closing.h"
