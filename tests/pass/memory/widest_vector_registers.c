// What a thread has in its 512-bit vector registers and in its mask registers is its own, too.
#include <string.h>

#include "program.h"

#define WORKERS 3

struct registers {
  unsigned char of[32][64];
  unsigned long masks[8];
};

static volatile int word;

#define MASKS(f) f(0) f(1) f(2) f(3) f(4) f(5) f(6) f(7)
#define VECTORS(f)                                                                              \
  MASKS(f)                                                                                      \
  f(8) f(9) f(10) f(11) f(12) f(13) f(14) f(15) f(16) f(17) f(18) f(19) f(20) f(21) f(22) f(23) \
      f(24) f(25) f(26) f(27) f(28) f(29) f(30) f(31)
#define LOAD(n) "vmovdqu64 " #n "*64(%[in]), %%zmm" #n "\n\t"
#define STORE(n) "vmovdqu64 %%zmm" #n ", " #n "*64(%[out])\n\t"
#define LOAD_MASK(n) "kmovq 2048+" #n "*8(%[in]), %%k" #n "\n\t"
#define STORE_MASK(n) "kmovq %%k" #n ", 2048+" #n "*8(%[out])\n\t"
#define CLOBBERED(n) "xmm" #n,

__attribute__((target("avx512f,avx512bw"))) static void through(const struct registers* in,
                                                                struct registers* out) {
  asm volatile(VECTORS(LOAD) MASKS(LOAD_MASK) "incl (%[word])\n\t"
                                              "lock; addl $1, (%[word])\n\t"
                                              "movl $1, %%edx\n\t"
                                              "lock; cmpxchgl %%edx, (%[word])\n\t" VECTORS(STORE)
                                                  MASKS(STORE_MASK) "vzeroupper"
               :
               : [in] "r"(in), [out] "r"(out), [word] "r"(&word)
               : VECTORS(CLOBBERED) "k1", "k2", "k3", "k4", "k5", "k6", "k7", "rax", "rdx", "memory",
                 "cc");
}

static void* work(void* argument) {
  int number = (int)(long)argument;
  struct registers before, after;
  memset(&before, 16 * number + 1, sizeof before);
  for (int i = 0; i < 32; i++) before.of[i][63] = (unsigned char)i;
  for (int i = 0; i < 8; i++) before.masks[i] ^= (unsigned long)i << 56;
  memset(&after, 0, sizeof after);
  through(&before, &after);
  assert(memcmp(&before, &after, sizeof before) == 0);
  return 0;
}

static void* nothing(void* unused) { return unused; }

int main(void) {
  int wide = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw");
  pthread_t workers[WORKERS];
  for (long i = 0; i < WORKERS; i++) workers[i] = start_with(wide ? work : nothing, (void*)i);
  for (int i = 0; i < WORKERS; i++) finish(workers[i]);
  return 0;
}
