// Between two instructions anything may happen: other threads run, signals are handled. What a
// thread has in its vector registers, on its floating-point stack and as rounding modes is its own.
#include <signal.h>
#include <string.h>
#include <xmmintrin.h>

#include "program.h"

#define WORKERS 3
#define ROUNDS 2

struct registers {
  unsigned char of[16][32];
};

static volatile int word;
static volatile int handled;

#define FOR_EACH_REGISTER(f) \
  f(0) f(1) f(2) f(3) f(4) f(5) f(6) f(7) f(8) f(9) f(10) f(11) f(12) f(13) f(14) f(15)
#define LOAD_WIDE(n) "vmovdqu " #n "*32(%[in]), %%ymm" #n "\n\t"
#define STORE_WIDE(n) "vmovdqu %%ymm" #n ", " #n "*32(%[out])\n\t"
#define LOAD(n) "movdqu " #n "*32(%[in]), %%xmm" #n "\n\t"
#define STORE(n) "movdqu %%xmm" #n ", " #n "*32(%[out])\n\t"
#define CLOBBERED(n) "xmm" #n,
// Steps at which another thread or a signal may come in between.
#define STEPS                    \
  "incl (%[word])\n\t"           \
  "movl (%[word]), %%eax\n\t"    \
  "addl $1, %%eax\n\t"           \
  "movl %%eax, (%[word])\n\t"    \
  "lock; addl $1, (%[word])\n\t" \
  "movl $1, %%edx\n\t"           \
  "lock; cmpxchgl %%edx, (%[word])\n\t"
#define THROUGH(load, store)                                                     \
  asm volatile("fldl (%[top])\n\t" FOR_EACH_REGISTER(load)                       \
                   STEPS FOR_EACH_REGISTER(store) "fstpl (%[top])\n\t"           \
               :                                                                 \
               : [in] "r"(in), [out] "r"(out), [word] "r"(&word), [top] "r"(top) \
               : FOR_EACH_REGISTER(CLOBBERED) "rax", "rdx", "st", "memory", "cc")

static void through(int wide, const struct registers* in, struct registers* out, double* top) {
  if (wide) {
    THROUGH(LOAD_WIDE, STORE_WIDE);
    asm volatile("vzeroupper");
  } else {
    THROUGH(LOAD, STORE);
  }
}

static void on_signal(int signal) {
  (void)signal;
  asm volatile(
      "pcmpeqd %%xmm0, %%xmm0\n\tmovdqa %%xmm0, %%xmm1\n\tmovdqa %%xmm0, %%xmm9\n\tfldpi\n\tfstp "
      "%%st(0)"
      :
      :
      : "xmm0", "xmm1", "xmm9", "st");
  handled++;
}

static void* work(void* argument) {
  int number = (int)(long)argument;
  int wide = __builtin_cpu_supports("avx");
  static const unsigned modes[] = {_MM_ROUND_NEAREST, _MM_ROUND_DOWN, _MM_ROUND_UP};
  _MM_SET_ROUNDING_MODE(modes[number]);
  for (int round = 0; round < ROUNDS; round++) {
    struct registers before, after;
    memset(&before, 16 * number + round + 1, sizeof before);
    for (int i = 0; i < 16; i++) before.of[i][0] = (unsigned char)i;
    memset(&after, 0, sizeof after);
    double top = number + 0.5;
    through(wide, &before, &after, &top);
    for (int i = 0; i < 16; i++) {
      assert(memcmp(before.of[i], after.of[i], wide ? 32 : 16) == 0);
    }
    assert(top == number + 0.5);
    assert(_MM_GET_ROUNDING_MODE() == modes[number]);
  }
  return 0;
}

int main(void) {
  struct sigaction action = {.sa_handler = on_signal};
  sigaction(SIGUSR1, &action, 0);
  pthread_t workers[WORKERS];
  for (long i = 0; i < WORKERS; i++) pthread_create(&workers[i], 0, work, (void*)i);
  for (int i = 0; i < WORKERS; i++) pthread_kill(workers[i], SIGUSR1);
  for (int i = 0; i < WORKERS; i++) pthread_join(workers[i], 0);
  return 0;
}
