// One instruction stores some of sixteen bytes, and a thread sees two of them.
#include <emmintrin.h>

#include "program.h"

static volatile char bytes[16];

static void* store_odd_ones(void* unused) {
  __m128i odd = _mm_set1_epi16((short)0x8000);
  _mm_maskmoveu_si128(_mm_set1_epi8(7), odd, (char*)bytes);
  return unused;
}

static void* look(void* unused) {
  char first = bytes[1];
  char last = bytes[15];
  assert(first != 7 || last != 7);
  return unused;
}

int main(void) {
  pthread_t a = start(store_odd_ones), b = start(look);
  finish(a);
  finish(b);
  return 0;
}
