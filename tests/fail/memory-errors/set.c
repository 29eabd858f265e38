// memset of a block that another thread may have freed.
#include <stdlib.h>
#include <string.h>

static char* block;
static void make(void) { block = calloc(1, 600); }
static void use(void) { memset(block, 1, 600); }
static void close_it(void) { free(block); }

#include "closing.h"
