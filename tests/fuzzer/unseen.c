// Asks the kernel by system calls of its own, and the processor, as a library that is not patched
// may.
#include <cpuid.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>

static long call(long number, long a, long b, long c) {
  long result;
  __asm__ volatile("syscall"
                   : "=a"(result)
                   : "a"(number), "D"(a), "S"(b), "d"(c)
                   : "rcx", "r11", "memory");
  return result;
}

uint64_t unseen_clock(void) {
  struct timespec now;
  call(SYS_clock_gettime, CLOCK_REALTIME, (long)&now, 0);
  return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

uint64_t unseen_process(void) { return (uint64_t)call(SYS_getpid, 0, 0, 0); }

uint64_t unseen_random(void) {
  uint64_t value = 0;
  call(SYS_getrandom, (long)&value, sizeof value, 0);
  return value | (uint64_t)1 << 63;
}

uint64_t unseen_timestamp(void) { return __builtin_ia32_rdtsc(); }

unsigned unseen_processors(void) {
  unsigned a = 0, b = 0, c = 0, d = 0;
  __cpuid(1, a, b, c, d);
  return b >> 16 & 0xff;
}
