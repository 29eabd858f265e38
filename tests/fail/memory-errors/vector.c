// A load of a vector from a block that another thread may have freed.
#include <emmintrin.h>
#include <stdlib.h>
#include <string.h>
static __m128i* block;
__m128i seen;
static void make(void) {
  block = aligned_alloc(16, 64);
  memset(block, 0, 64);
}
static void use(void) { seen = _mm_load_si128(&block[2]); }
static void close_it(void) { free(block); }

#include "closing.h"
