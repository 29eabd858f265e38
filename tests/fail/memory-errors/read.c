// A read of a block that another thread may have freed.
#include <stdlib.h>
#include <string.h>

static int* block;
static volatile int seen;
static void make(void) { block = calloc(12, sizeof *block); }
static void use(void) { seen = block[1]; }
static void close_it(void) { free(block); }

#include "closing.h"
