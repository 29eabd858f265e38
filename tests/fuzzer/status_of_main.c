// Two threads that may lose an update; the program tells by its status. That is no failure unless
// the user says so (rff-fuzz --exit-is-bug).
#include "program.h"

static volatile int total;

static void* add_one(void* unused) {
  int seen = total;
  total = seen + 1;
  return unused;
}

int main(void) {
  pthread_t a = start(add_one), b = start(add_one);
  finish(a);
  finish(b);
  return total == 2 ? 0 : 3;
}
