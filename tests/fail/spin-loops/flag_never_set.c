// The setter sets the flag only if it sees the waiter announced; a waiter that announces itself too
// late spins for ever.
#include "program.h"

static volatile int announced, flag;

static void* wait_for_flag(void* unused) {
  announced = 1;
  while (!flag) {
  }
  return unused;
}

int main(void) {
  pthread_t t = start(wait_for_flag);
  if (announced) flag = 1;
  finish(t);
  return 0;
}
