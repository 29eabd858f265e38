// A release of a global variable, which another thread may have chosen.
#include <stdlib.h>
#include <string.h>

static size_t space[8] __attribute__((aligned(16)));
static size_t* given;
static void make(void) { space[1] = space[5] = 0x21; }
static void use(void) { free(__atomic_load_n(&given, __ATOMIC_ACQUIRE)); }
static void close_it(void) { __atomic_store_n(&given, space + 2, __ATOMIC_RELEASE); }

#include "closing.h"
