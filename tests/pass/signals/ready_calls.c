// A signal does not interrupt a call that need not wait: there is always room in the pipe, and
// something to read.
#include <signal.h>
#include <unistd.h>

#include "program.h"

static int ends[2];

static void noted(int signal) { (void)signal; }

static void* uses(void* unused) {
  for (int i = 0; i < 4; i++) {
    char byte = 'x';
    assert(write(ends[1], &byte, 1) == 1);
    assert(read(ends[0], &byte, 1) == 1);
  }
  return unused;
}

int main(void) {
  struct sigaction action = {.sa_handler = noted};  // without SA_RESTART
  assert(sigaction(SIGUSR2, &action, NULL) == 0 && pipe(ends) == 0);
  pthread_t user = start(uses);
  assert(pthread_kill(user, SIGUSR2) == 0);
  finish(user);
  return 0;
}
