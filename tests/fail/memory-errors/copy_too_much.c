// memcpy of one byte more than the block has, by a length that another thread may have changed.
#include <stdlib.h>
#include <string.h>

static size_t size = 100;
static char* block;
static char text[128];
static void make(void) { block = calloc(1, 100); }
static void use(void) { memcpy(block, text, __atomic_load_n(&size, __ATOMIC_ACQUIRE)); }
static void close_it(void) { __atomic_store_n(&size, 101, __ATOMIC_RELEASE); }

#include "closing.h"
