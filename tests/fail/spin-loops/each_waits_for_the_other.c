// Both threads see the other interested and wait for it to withdraw, which neither does.
#include "program.h"

static volatile int interested[2];

static void* enter(void* arg) {
  long self = (long)arg;
  interested[self] = 1;
  while (interested[1 - self]) {
  }
  interested[self] = 0;
  return NULL;
}

int main(void) {
  pthread_t a = start_with(enter, (void*)0L), b = start_with(enter, (void*)1L);
  finish(a);
  finish(b);
  return 0;
}
