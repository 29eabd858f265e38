// strlen of a string that another thread may have freed.
#include <stdlib.h>
#include <string.h>

static char* block;
static volatile size_t seen;
static size_t (*volatile length)(const char*) = strlen;
static void make(void) { block = strdup("a string on the heap"); }
static void use(void) { seen = length(block); }
static void close_it(void) { free(block); }

#include "closing.h"
