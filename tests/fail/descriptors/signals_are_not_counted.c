// Two threads each say by a signal that they are done, and the loop reads one signal for each. The
// bug: a signal that is pending already is not sent again, so the second may be lost.
#define _GNU_SOURCE
#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "program.h"

static void* work(void* unused) {
  assert(kill(getpid(), SIGALRM) == 0);
  return unused;
}

int main(void) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGALRM);
  pthread_sigmask(SIG_BLOCK, &set, NULL);
  int done = signalfd(-1, &set, 0);
  pthread_t one = start(work);
  pthread_t other = start(work);
  for (int i = 0; i < 2; i++) {
    struct signalfd_siginfo info;
    assert(read(done, &info, sizeof info) == sizeof info);
  }
  finish(one);
  finish(other);
  return 0;
}
