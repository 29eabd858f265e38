// Writes beyond the last page of its own memory.
#include <stdint.h>

#include "program.h"

extern char _end[];

static void* run_over(void* unused) {
  uintptr_t last = ((uintptr_t)_end + 4095) & ~(uintptr_t)4095;
  for (char* p = _end; p < (char*)last + 64; p++) *(volatile char*)p = 1;
  return unused;
}

int main(void) {
  finish(start(run_over));
  return 0;
}
