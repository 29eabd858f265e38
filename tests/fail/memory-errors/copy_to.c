// memcpy to a block that another thread may have freed.
#include <stdlib.h>
#include <string.h>

static char* block;
static char text[200];
static void make(void) { block = calloc(1, 200); }
static void use(void) { memcpy(block, text, sizeof text); }
static void close_it(void) { free(block); }

#include "closing.h"
