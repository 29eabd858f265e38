// memcpy from a block that another thread may have freed.
#include <stdlib.h>
#include <string.h>

static char* block;
char copy[200];
static void make(void) { block = calloc(1, 200); }
static void use(void) { memcpy(copy, block, sizeof copy); }
static void close_it(void) { free(block); }

#include "closing.h"
