// A loop with a reduction and a critical section.
#include <omp.h>
#include <stdio.h>

int main(void) {
  long sum = 0;
#pragma omp parallel for reduction(+ : sum)
  for (int i = 0; i < 100; i++) {
    sum += i;
  }
  int threads = 0;
#pragma omp parallel
  {
#pragma omp critical
    threads++;
  }
  printf("%ld %s %d\n", sum, threads == omp_get_max_threads() ? "all" : "some",
         omp_get_num_procs());
  return sum != 4950;
}
