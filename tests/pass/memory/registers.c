// Functions keep registers on their stacks, and programs copy memory that they never wrote: what a
// thread finds in its registers when it begins, and what a call leaves there, must be the same in
// every repetition of a run.
#include "program.h"

enum { KEPT = 5, LEFT = 8 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile long collected[KEPT + LEFT];

// Calls `function` with the lock; what it leaves in the registers that it may change is in `left`.
static __attribute__((noinline)) void call(int (*function)(pthread_mutex_t*), long* left) {
  void* argument = &lock;
  __asm__ volatile(
      "call *%[function]\n\t"
      "movq %%rcx, (%[left])\n\t"
      "movq %%rdx, 8(%[left])\n\t"
      "movq %%rsi, 16(%[left])\n\t"
      "movq %%rdi, 24(%[left])\n\t"
      "movq %%r8, 32(%[left])\n\t"
      "movq %%r9, 40(%[left])\n\t"
      "movq %%r10, 48(%[left])\n\t"
      "movq %%r11, 56(%[left])"
      : "+D"(argument)
      : [function] "a"(function), [left] "b"(left)
      : "rcx", "rdx", "rsi", "r8", "r9", "r10", "r11", "memory", "cc");
}

__attribute__((used)) void* work(const long* kept) {
  long by_lock[LEFT];
  long by_unlock[LEFT] = {0};
  for (int i = 0; i < 4; i++) {
    call(pthread_mutex_lock, by_lock);
    for (int k = 0; kept && k < KEPT; k++) collected[k] += kept[k];
    for (int k = 0; k < LEFT; k++) collected[KEPT + k] += by_lock[k] + by_unlock[k];
    call(pthread_mutex_unlock, by_unlock);
  }
  return NULL;
}

static __attribute__((naked)) void* begin(void* unused __attribute__((unused))) {
  __asm__(
      "pushq %r15\n\t"
      "pushq %r14\n\t"
      "pushq %r13\n\t"
      "pushq %r12\n\t"
      "pushq %rbx\n\t"
      "movq %rsp, %rdi\n\t"
      "call work\n\t"
      "addq $40, %rsp\n\t"
      "ret");
}

int main(void) {
  pthread_t thread = start(begin);
  work(NULL);
  finish(thread);
  return 0;
}
