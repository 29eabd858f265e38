// strcpy of a string without room for its end; another thread may have made it longer.
#include <stdlib.h>
#include <string.h>

static const char* text = "1234567";
static char* block;
static char* (*volatile copy)(char*, const char*) = strcpy;
static void make(void) { block = calloc(1, 8); }
static void use(void) { copy(block, __atomic_load_n(&text, __ATOMIC_ACQUIRE)); }
static void close_it(void) { __atomic_store_n(&text, "12345678", __ATOMIC_RELEASE); }

#include "closing.h"
