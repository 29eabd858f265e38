// Every thread blocks what it wants to block, and takes what it no longer blocks before it goes on;
// a jump out of a handler puts the mask back.
#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <unistd.h>

#include "program.h"

static __thread volatile sig_atomic_t handled;
static sigjmp_buf back;

static void handle(int number) { handled += number == SIGUSR1; }
static void jump(int number) { siglongjmp(back, number); }

static int blocked(int number) {
  sigset_t set;
  assert(pthread_sigmask(SIG_BLOCK, NULL, &set) == 0);
  return sigismember(&set, number);
}

static void change(int how, int number) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, number);
  assert(pthread_sigmask(how, &set, NULL) == 0);
}

static void* with_mask(void* unused) {
  assert(blocked(SIGUSR1));
  raise(SIGUSR1);
  raise(SIGUSR1);
  assert(handled == 0);
  change(SIG_UNBLOCK, SIGUSR1);
  assert(handled == 1);
  raise(SIGUSR1);
  assert(handled == 2);
  return unused;
}

static void* with_jump(void* unused) {
  if (sigsetjmp(back, 1) == 0) {
    raise(SIGUSR2);
    assert(0);
  }
  assert(!blocked(SIGUSR2));
  return unused;
}

static void* for_process(void* unused) {
  // Main and the others block it: it comes here, now or when unblocked.
  change(SIG_UNBLOCK, SIGUSR1);
  while (handled == 0) sched_yield();
  return unused;
}

int main(void) {
  signal(SIGUSR1, handle);
  signal(SIGUSR2, jump);
  signal(SIGPIPE, SIG_IGN);
  change(SIG_BLOCK, SIGUSR1);
  pthread_t a = start(with_mask), b = start(with_jump);
  finish(a);
  finish(b);
  pthread_t c = start(for_process);
  kill(getpid(), SIGUSR1);
  kill(getpid(), SIGPIPE);
  kill(getpid(), SIGCHLD);
  finish(c);
  assert(handled == 0 && blocked(SIGUSR1) && !blocked(SIGUSR2));
  return 0;
}
