// What the benchmark patches: loops whose only memory accesses are counted ones.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static uint64_t cells[1024];

static double Now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

__attribute__((noinline)) static uint64_t Reads(uint64_t n) {
  uint64_t sum = 0;
  for (uint64_t i = 0; i < n; i++) {
    uint64_t v;
    __asm__ volatile("mov (%1), %0" : "=r"(v) : "r"(&cells[i & 1023]));
    sum += v;
  }
  return sum;
}

__attribute__((noinline)) static void Writes(uint64_t n) {
  for (uint64_t i = 0; i < n; i++)
    __asm__ volatile("mov %0, (%1)" ::"r"(i), "r"(&cells[i & 1023]) : "memory");
}

// Here the access lies between a comparison and its use.
__attribute__((noinline)) static uint64_t ReadsBetween(uint64_t n) {
  uint64_t sum = 0;
  for (uint64_t i = 0; i < n; i++) {
    uint64_t v;
    __asm__ volatile("cmp $512, %2\nmov (%3), %0\nadc $0, %1"
                     : "=&r"(v), "+r"(sum)
                     : "r"(i & 1023), "r"(&cells[i & 1023])
                     : "cc");
    sum += v;
  }
  return sum;
}

__attribute__((noinline)) static void Strings(uint64_t n) {
  for (uint64_t i = 0; i < n; i++) {
    void* d = &cells[i & 511];
    __asm__ volatile("stosq" : "+D"(d) : "a"(i) : "memory");
  }
}

// Prints nanoseconds per iteration: read, write, read that needs the flags kept, string.
int main(int argc, char** argv) {
  uint64_t n = argc > 1 ? strtoull(argv[1], NULL, 10) : 10000000;
  double t0 = Now();
  uint64_t sum = Reads(n);
  double t1 = Now();
  Writes(n);
  double t2 = Now();
  sum += ReadsBetween(n);
  double t3 = Now();
  Strings(n / 4);
  double t4 = Now();
  printf("%.2f %.2f %.2f %.2f\n", (t1 - t0) / (double)n, (t2 - t1) / (double)n,
         (t3 - t2) / (double)n, (t4 - t3) / (double)(n / 4));
  return sum == 1;
}
