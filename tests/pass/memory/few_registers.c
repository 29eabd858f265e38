// One thread uses all of the wide registers and the floating-point stack, another one leaves
// something in the wide registers when it calls a function, and the others use but the first half
// of each register. Between two instructions of theirs they find in those what they put there,
// and in the rest nothing.
#include <sched.h>
#include <string.h>
#include <xmmintrin.h>

#include "program.h"

#define OTHERS 2
#define ROUNDS 3

static volatile int word;

#define FOR_EACH_REGISTER(f) \
  f(0) f(1) f(2) f(3) f(4) f(5) f(6) f(7) f(8) f(9) f(10) f(11) f(12) f(13) f(14) f(15)
#define FILL_WIDE(n)                                                                        \
  "vpcmpeqd %%xmm" #n ", %%xmm" #n ", %%xmm" #n "\n\tvinsertf128 $1, %%xmm" #n ", %%ymm" #n \
  ", %%ymm" #n "\n\t"
#define LOAD(n) "movdqu " #n "*32(%[in]), %%xmm" #n "\n\t"
#define STORE(n) "movdqu %%xmm" #n ", " #n "*32(%[out])\n\t"
#define STORE_WIDE(n) "vmovdqu %%ymm" #n ", " #n "*32(%[out])\n\t"
#define CLOBBERED(n) "xmm" #n,
// Here others may come in between.
#define STEPS "incl (%[word])\n\tincl (%[word])\n\tincl (%[word])\n\t"

static void* use_all(void* unused) {
  for (int round = 0; round < ROUNDS && __builtin_cpu_supports("avx"); round++) {
    asm volatile("fldpi\n\tfldpi\n\t" FOR_EACH_REGISTER(FILL_WIDE) STEPS
                 "fstp %%st(0)\n\tfstp %%st(0)\n\tvzeroupper"
                 :
                 : [word] "r"(&word)
                 : FOR_EACH_REGISTER(CLOBBERED) "st", "st(1)", "memory", "cc");
  }
  return unused;
}

static void* leave_wide(void* unused) {
  for (int round = 0; round < ROUNDS && __builtin_cpu_supports("avx"); round++) {
    asm volatile(FOR_EACH_REGISTER(FILL_WIDE) : : : FOR_EACH_REGISTER(CLOBBERED) "memory");
    sched_yield();  // leaves them as they are
    asm volatile("vzeroupper" : : : "memory");
  }
  return unused;
}

static void* use_few(void* argument) {
  static const unsigned modes[OTHERS] = {_MM_ROUND_DOWN, _MM_ROUND_UP};
  int number = (int)(long)argument;
  _MM_SET_ROUNDING_MODE(modes[number]);
  for (int round = 0; round < ROUNDS; round++) {
    unsigned char before[16][32], after[16][32];
    memset(before, 0, sizeof before);
    memset(after, 0, sizeof after);
    for (int i = 0; i < 16; i++) memset(before[i], 16 * number + i + 1, 16);
    if (__builtin_cpu_supports("avx")) {
      asm volatile("vzeroupper\n\t" FOR_EACH_REGISTER(LOAD) STEPS FOR_EACH_REGISTER(STORE_WIDE)
                   :
                   : [in] "r"(before), [out] "r"(after), [word] "r"(&word)
                   : FOR_EACH_REGISTER(CLOBBERED) "memory", "cc");
    } else {
      asm volatile(FOR_EACH_REGISTER(LOAD) STEPS FOR_EACH_REGISTER(STORE)
                   :
                   : [in] "r"(before), [out] "r"(after), [word] "r"(&word)
                   : FOR_EACH_REGISTER(CLOBBERED) "memory", "cc");
    }
    assert(memcmp(before, after, sizeof before) == 0);
    assert(_MM_GET_ROUNDING_MODE() == modes[number]);
  }
  unsigned short status;  // to ask for it is to use it
  asm volatile("fnstsw %0" : "=a"(status));
  assert((status >> 11 & 7) == 0);  // the floating-point stack is empty
  return NULL;
}

int main(void) {
  pthread_t all = start(use_all), wide = start(leave_wide);
  pthread_t few[OTHERS];
  for (long i = 0; i < OTHERS; i++) few[i] = start_with(use_few, (void*)i);
  for (int i = 0; i < OTHERS; i++) finish(few[i]);
  finish(all);
  finish(wide);
  return 0;
}
