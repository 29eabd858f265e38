// An exit handler takes away what a thread uses that nobody has waited for.
#include "program.h"

static int number;
static int* volatile table = &number;

static void take_away(void) { table = NULL; }

static void* serve(void* unused) {
  *(volatile int*)table = 1;
  return unused;
}

int main(void) {
  atexit(take_away);
  start(serve);
  exit(0);
}
