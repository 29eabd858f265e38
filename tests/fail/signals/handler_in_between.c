// A handler that changes what the interrupted thread is changing.
#include <signal.h>

#include "program.h"

static int counter;

static void handle(int number) {
  (void)number;
  counter++;
}

static void* count(void* unused) {
  int seen = counter;
  counter = seen + 1;
  return unused;
}

int main(void) {
  signal(SIGUSR1, handle);
  pthread_t thread = start(count);
  pthread_kill(thread, SIGUSR1);
  finish(thread);
  assert(counter == 2);
  return 0;
}
