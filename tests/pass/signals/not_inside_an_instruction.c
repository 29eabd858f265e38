// Other threads may come between the read and the write of an instruction without a lock, signals
// of its own thread may not: a thread and its handler count together without losing anything.
#include <signal.h>

#include "program.h"

static volatile int count;
static volatile int handled;
static volatile int seen;

static void add_one(void) { asm volatile("incl %0" : "+m"(count)); }

static void on_signal(int signal) {
  (void)signal;
  handled = 1;
  add_one();
}

static void* counts(void* unused) {
  for (int i = 0; i < 3; i++) add_one();
  return unused;
}

int main(void) {
  struct sigaction action = {.sa_handler = on_signal};
  sigaction(SIGUSR1, &action, 0);
  pthread_t a = start(counts);
  seen = count;
  pthread_kill(a, SIGUSR1);
  seen = count;
  finish(a);
  assert(count == 3 + handled);
  return 0;
}
