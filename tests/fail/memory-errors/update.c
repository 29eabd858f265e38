// A locked addition in a block that another thread may have freed.
#include <stdlib.h>
#include <string.h>

static long* block;
static void make(void) { block = calloc(4, sizeof *block); }
static void use(void) { __atomic_fetch_add(&block[3], 1, __ATOMIC_SEQ_CST); }
static void close_it(void) { free(block); }

#include "closing.h"
