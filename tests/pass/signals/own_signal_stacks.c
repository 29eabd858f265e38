// Each thread handles its faults on a stack of its own: one handler returns, one jumps away, both
// let the other thread run meanwhile.
#define _GNU_SOURCE
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "program.h"

enum { kFaults = 6, kStack = 64 << 10 };

struct faulting {
  char stack[kStack];
  sigjmp_buf out;
  char* page;  // unreadable until the handler has run
  int jumps, handled;
};
static struct faulting threads[2];
static _Thread_local struct faulting* own;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void handle(int signal, siginfo_t* info, void* context) {
  char here;
  stack_t now;
  assert(signal == SIGSEGV && (char*)info->si_addr == own->page && context != NULL);
  assert(&here >= own->stack && &here < own->stack + kStack);
  assert(sigaltstack(NULL, &now) == 0 && now.ss_flags == SS_ONSTACK && now.ss_sp == own->stack);
  stack_t none = {.ss_flags = SS_DISABLE};
  assert(sigaltstack(&none, NULL) == -1 && errno == EPERM);
  pthread_mutex_lock(&lock);
  own->handled++;
  sched_yield();
  pthread_mutex_unlock(&lock);
  if (own->jumps) siglongjmp(own->out, 1);
  mprotect(own->page, 4096, PROT_READ | PROT_WRITE);
}

static void* fault(void* which) {
  own = which;
  stack_t stack = {.ss_sp = own->stack, .ss_size = kStack}, before;
  assert(sigaltstack(&stack, &before) == 0 && before.ss_flags == SS_DISABLE);
  for (int i = 0; i < kFaults; i++) {
    if (sigsetjmp(own->out, 1) == 0) *(volatile char*)own->page = 1;
    mprotect(own->page, 4096, PROT_NONE);
  }
  stack.ss_size = 100;
  assert(sigaltstack(&stack, NULL) == -1 && errno == ENOMEM);
  stack.ss_flags = 77;
  assert(sigaltstack(&stack, NULL) == -1 && errno == EINVAL);
  assert(sigaltstack(NULL, &before) == 0 && before.ss_flags == 0 && before.ss_size == kStack);
  return NULL;
}

int main(void) {
  struct sigaction action = {.sa_sigaction = handle, .sa_flags = SA_SIGINFO | SA_ONSTACK};
  assert(sigaction(SIGSEGV, &action, NULL) == 0);
  pthread_t started[2];
  for (int i = 0; i < 2; i++) {
    threads[i].jumps = i;
    threads[i].page = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    started[i] = start_with(fault, &threads[i]);
  }
  for (int i = 0; i < 2; i++) {
    finish(started[i]);
    assert(threads[i].handled == kFaults);
  }
  return 0;
}
