// One thread waits for signals that others send to it, or to the process where all others block
// them.
#define _GNU_SOURCE
#include <signal.h>
#include <unistd.h>

#include "program.h"

static int received;

static void* receive(void* unused) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  sigaddset(&set, SIGTERM);
  int number = 0;
  assert(sigwait(&set, &number) == 0 && number == SIGUSR1);
  received = 1;
  assert(sigwait(&set, &number) == 0 && number == SIGTERM);
  received = 2;
  return unused;
}

int main(void) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  sigaddset(&set, SIGTERM);
  sigaddset(&set, SIGRTMIN);
  assert(pthread_sigmask(SIG_BLOCK, &set, NULL) == 0);
  pthread_t thread = start(receive);
  assert(pthread_kill(thread, SIGUSR1) == 0);
  // Lower numbers come first: this one must not overtake.
  assert(kill(getpid(), SIGTERM) == 0);
  finish(thread);
  assert(received == 2);

  // A queue keeps all that was sent, in its order.
  for (int i = 0; i < 3; i++) {
    assert(sigqueue(getpid(), SIGRTMIN, (union sigval){.sival_int = i}) == 0);
  }
  for (int i = 0; i < 3; i++) {
    siginfo_t info;
    assert(sigwaitinfo(&set, &info) == SIGRTMIN && info.si_value.sival_int == i);
  }
  assert(sigtimedwait(&set, NULL, &(struct timespec){5, 0}) == -1 && errno == EAGAIN);
  assert(sigpending(&set) == 0 && !sigismember(&set, SIGRTMIN));
  return 0;
}
