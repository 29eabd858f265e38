// A child process sends a signal that the program reads from a descriptor: to wait for it is no
// deadlock.
#include <signal.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "program.h"

static void* nothing(void* unused) { return unused; }

int main(void) {
  finish(start(nothing));
  sigset_t sent;
  sigemptyset(&sent);
  sigaddset(&sent, SIGRTMIN);
  assert(pthread_sigmask(SIG_BLOCK, &sent, NULL) == 0);
  pid_t parent = getpid();
  pid_t child = fork();
  if (child == 0) {
    int known = getppid() == parent && kill(parent, SIGRTMIN) == 0;
    _exit(known ? 0 : kill((pid_t)syscall(SYS_getppid), SIGRTMIN) + 1);
  }
  int arrived = signalfd(-1, &sent, SFD_CLOEXEC);
  struct signalfd_siginfo about;
  assert(arrived >= 0 && read(arrived, &about, sizeof about) == sizeof about);
  assert((int)about.ssi_signo == SIGRTMIN);
  int status = 1;
  assert(waitpid(child, &status, 0) == child && status == 0);
  return 0;
}
