// Two threads that may lose an update; the program tells by its status. With an argument it always
// fails.
#include <stdio.h>

#include "program.h"

static volatile int total;

static void* add_one(void* unused) {
  int seen = total;
  total = seen + 1;
  return unused;
}

int main(int argc, char** argv) {
  (void)argv;
  pthread_t a = start(add_one), b = start(add_one);
  finish(a);
  finish(b);
  if (argc > 1) {
    puts("told to fail");
    return 4;
  }
  return total == 2 ? 0 : 3;
}
