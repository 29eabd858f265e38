// A use of the old address of a block that another thread may have enlarged.
#include <stdlib.h>
#include <string.h>

static long* block;
static long* larger;
static volatile long seen;
static void make(void) { block = calloc(4, sizeof *block); }
static void use(void) { seen = block[0]; }
static void close_it(void) { larger = realloc(block, 4000); }

#include "closing.h"
