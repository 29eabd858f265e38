// Threads allocate, grow, fill and free blocks of many sizes; nobody's block overlaps another's.
#include <string.h>

#include "program.h"

static void* work(void* arg) {
  unsigned char mark = (unsigned char)(long)arg;
  unsigned char* block[6];
  size_t size[6] = {1, 24, 100, 1000, 5000, 200000};
  for (int i = 0; i < 6; i++) {
    block[i] = malloc(size[i]);
    memset(block[i], mark + i, size[i]);
  }
  block[2] = realloc(block[2], 3000);
  memset(block[2] + 100, mark + 2, 2900);
  size[2] = 3000;
  for (int i = 0; i < 6; i++) {
    assert(block[i][0] == mark + i && block[i][size[i] - 1] == mark + i);
    free(block[i]);
  }
  int* zero = calloc(50, sizeof *zero);
  for (int i = 0; i < 50; i++) assert(zero[i] == 0);
  free(zero);
  void* aligned = NULL;
  assert(posix_memalign(&aligned, 4096, 100) == 0 && (size_t)aligned % 4096 == 0);
  free(aligned);
  return NULL;
}

int main(void) {
  pthread_t t[3];
  for (long i = 0; i < 3; i++) t[i] = start_with(work, (void*)(i * 16 + 1));
  for (int i = 0; i < 3; i++) finish(t[i]);
  return 0;
}
