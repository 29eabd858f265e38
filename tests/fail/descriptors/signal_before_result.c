// A thread tells the loop by a signal that there is a result. The bug: it does so before it stores
// the result.
#define _GNU_SOURCE
#include <poll.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "program.h"

static int result;

static void* work(void* unused) {
  assert(kill(getpid(), SIGRTMIN) == 0);
  result = 1;
  return unused;
}

int main(void) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGRTMIN);
  pthread_sigmask(SIG_BLOCK, &set, NULL);
  struct pollfd done = {signalfd(-1, &set, 0), POLLIN, 0};
  pthread_t thread = start(work);
  assert(poll(&done, 1, -1) == 1);
  assert(result == 1);
  finish(thread);
  return 0;
}
