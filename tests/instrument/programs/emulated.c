// Asks the processor and the kernel for things that a runtime may answer in their place.
#include <stdint.h>
#include <stdio.h>

int main(void) {
  uint32_t low, high, aux = 5;
  __asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
  printf("rdtsc %u %u\n", high, low);
  __asm__ volatile("rdtscp" : "=a"(low), "=d"(high), "=c"(aux));
  printf("rdtscp %u %u %u\n", high, low, aux);
  uint64_t random, carry = 0;
  __asm__ volatile("rdrand %%r12\n adc $0, %1\n mov %%r12, %0\n"
                   : "=r"(random), "+r"(carry)::"r12", "cc");
  printf("rdrand %llu carry %llu\n", (unsigned long long)random, (unsigned long long)carry);
  long pid;
  __asm__ volatile("syscall" : "=a"(pid) : "0"(39L) : "rcx", "r11", "memory");
  printf("getpid %ld\n", pid);
  return 0;
}
