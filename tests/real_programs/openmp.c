// OpenMP: a reduction, a critical section and tasks, on three threads.
#include "result.h"

int main(int argc, char** argv) {
  long sum = 0, largest = 0, tasks = 0;
#pragma omp parallel for num_threads(3) reduction(+ : sum)
  for (int i = 1; i <= 30; i++) sum += i;
#pragma omp parallel for num_threads(3)
  for (int i = 1; i <= 6; i++) {
#pragma omp critical
    largest = i > largest ? i : largest;
  }
#pragma omp parallel num_threads(3)
#pragma omp single
  for (int i = 0; i < 4; i++) {
#pragma omp task
    {
#pragma omp atomic
      tasks++;
    }
  }
  tell_result(argc, argv, "sum %ld, largest %ld, tasks %ld", sum, largest, tasks);
  return 0;
}
