// What a thread's computations have led to (a division by zero, say) is noted in the processor for
// that thread alone, whichever threads run meanwhile; so is whether it wants to be stopped by that.
#define _GNU_SOURCE
#include <fenv.h>
#include <sched.h>

#include "program.h"

#define DIVIDERS 2

static volatile long double zero_extended = 0;
static volatile double zero = 0;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void let_others(void) {
  pthread_mutex_lock(&lock);
  pthread_mutex_unlock(&lock);
  sched_yield();
}

static void* divide(void* unused) {
  volatile long double quotient = 1 / zero_extended;
  volatile double short_quotient = 1 / zero;
  (void)quotient;
  (void)short_quotient;
  let_others();
  assert(fetestexcept(FE_DIVBYZERO) == FE_DIVBYZERO);
  return unused;
}

static void* be_careful(void* unused) {
  feenableexcept(FE_DIVBYZERO);
  let_others();
  assert(fetestexcept(FE_DIVBYZERO) == 0 && fegetexcept() == FE_DIVBYZERO);
  return unused;
}

int main(void) {
  pthread_t careful = start(be_careful);
  pthread_t dividers[DIVIDERS];
  for (int i = 0; i < DIVIDERS; i++) dividers[i] = start(divide);
  for (int i = 0; i < DIVIDERS; i++) finish(dividers[i]);
  finish(careful);
  return 0;
}
