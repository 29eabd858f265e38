// A program that handles its own faults keeps doing so.
#include <setjmp.h>
#include <signal.h>

#include "program.h"

static sigjmp_buf out;
static volatile int caught;

static void handle(int signal) {
  (void)signal;
  caught++;
  siglongjmp(out, 1);
}

static void* fault(void* unused) {
  if (sigsetjmp(out, 1) == 0) *(volatile int*)8 = 1;
  return unused;
}

int main(void) {
  struct sigaction action = {.sa_handler = handle};
  assert(sigaction(SIGSEGV, &action, NULL) == 0);
  finish(start(fault));
  assert(caught == 1);
  assert(sigaction(SIGSEGV, NULL, &action) == 0 && action.sa_handler == handle);
  return 0;
}
