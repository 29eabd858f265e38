// Pages lose their rights, and handlers go on after the faults: one gives them back and returns, so
// that the instruction is repeated, the other jumps away. Patched code checks some of the accesses
// itself, and what the handlers see must not tell.
#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

#include "program.h"

enum { WORDS = 64, PAGE = 4096, ROUNDS = 6 };
static volatile long own[WORDS], shared;
static volatile long* words;
static volatile int jumps, faults;
static volatile unsigned long seen;
static jmp_buf away;
// Calls leave anything in the others.
static const int kept[] = {REG_RIP, REG_RSP, REG_RBP, REG_RBX, REG_RDI,
                           REG_R12, REG_R13, REG_R14, REG_R15, REG_EFL};

static void handle(int signal, siginfo_t* info, void* context) {
  unsigned char leftovers[40];  // what hooks leave below the red zone
  ucontext_t* at = context;
  faults++;
  shared++;
  memcpy(leftovers, (char*)at->uc_mcontext.gregs[REG_RSP] - 128 - sizeof leftovers,
         sizeof leftovers);
  for (int i = 0; i < (int)sizeof leftovers; i++) seen = seen * 31 + leftovers[i];
  for (unsigned i = 0; i < sizeof kept / sizeof kept[0]; i++)
    seen = seen * 31 + (unsigned long)at->uc_mcontext.gregs[kept[i]];
  seen += (unsigned long)(uintptr_t)info->si_addr + (unsigned long)signal;
  if (jumps) longjmp(away, 1);
  int error = mprotect((void*)((uintptr_t)words & -(uintptr_t)PAGE), PAGE, PROT_READ | PROT_WRITE);
  assert(error == 0);
}

static __attribute__((noinline)) long add_up(void) {
  long sum = 0;
  for (int i = 0; i < WORDS; i++) sum += own[i] + words[i];
  return sum;
}

static __attribute__((noinline)) void fill(int round) {
  for (int i = 0; i < WORDS; i++) words[i] = own[i] + round;
}

static void* count(void* unused) {
  for (int i = 0; i < 3; i++) shared++;
  return unused;
}

int main(void) {
  static char stack[1 << 16];
  stack_t other = {.ss_sp = stack, .ss_size = sizeof stack};
  struct sigaction action = {.sa_sigaction = handle,
                             .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER};
  int error = sigaltstack(&other, NULL);
  assert(error == 0);
  error = sigaction(SIGSEGV, &action, NULL);
  assert(error == 0);
  char* page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  assert(page != MAP_FAILED);
  words = (volatile long*)(page + PAGE / 2);  // the shadow's cache has both arrays
  pthread_t thread = start(count);
  volatile long sum = 0;
  for (volatile int round = 0; round < ROUNDS; round++) {
    fill(round);
    sum += add_up();
    error = mprotect(page, PAGE, round % 2 == 0 ? PROT_NONE : PROT_READ);
    assert(error == 0);
    jumps = round >= ROUNDS / 2;
    if (setjmp(away) == 0) {
      sum += add_up();
      fill(round);
    }
    error = mprotect(page, PAGE, PROT_READ | PROT_WRITE);
    assert(error == 0);
    shared += sum & 1;
  }
  finish(thread);
  assert(faults == ROUNDS);
  return 0;
}
