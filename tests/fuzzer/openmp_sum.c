// Threads of OpenMP add up a sum: with CRITICAL each alone, else all at once. Its library waits by
// system calls of its own.
#include <assert.h>

int main(void) {
  int sum = 0;
#pragma omp parallel for num_threads(3)
  for (int i = 0; i < 6; i++) {
#ifdef CRITICAL
#pragma omp critical
#endif
    sum = sum + 1;
  }
  assert(sum == 6);
  return 0;
}
