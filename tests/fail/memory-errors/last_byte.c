// A read of the last byte of a block whose size is no multiple of a word.
#include <stdlib.h>
#include <string.h>

static char* block;
static volatile char seen;
static void make(void) { block = calloc(1, 45); }
static void use(void) { seen = block[44]; }
static void close_it(void) { free(block); }

#include "closing.h"
