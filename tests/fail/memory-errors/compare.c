// memcmp of a block that another thread may have freed.
#include <stdlib.h>
#include <string.h>

static char* block;
static char zeros[64];
static volatile int seen;
static int (*volatile compare)(const void*, const void*, size_t) = memcmp;
static void make(void) { block = calloc(1, 64); }
static void use(void) { seen = compare(block, zeros, 64); }
static void close_it(void) { free(block); }

#include "closing.h"
