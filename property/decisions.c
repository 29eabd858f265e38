// Decisions of a program's own event loop: the runtime's if there is one, else the natural ones.
#include "rff/draws.h"
#include "rff/runtime_interface.h"

unsigned rff_choose(unsigned n) {
  return n > 1 && rff_runtime_choose != NULL ? rff_runtime_choose(n) : 0;
}

void rff_shuffle(void* array, size_t n, size_t size) {
  unsigned char* items = array;
  for (size_t i = 0; i + 1 < n; i++) {
    unsigned char* here = items + i * size;
    unsigned char* other = here + rff_choose((unsigned)(n - i)) * size;
    for (size_t k = 0; k < size && other != here; k++) {
      unsigned char kept = here[k];
      here[k] = other[k];
      other[k] = kept;
    }
  }
}

void rff_turn(const char* name) {
  if (rff_runtime_turn != NULL) {
    rff_runtime_turn(name);
  }
}
