// setjmp and longjmp, signal handlers with blocked signals, recovery from SIGSEGV, an alternate
// stack.
#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static jmp_buf back;
static sigjmp_buf recover;
static volatile sig_atomic_t signals, nested;
static char alternate[65536];

__attribute__((noinline)) static void Jump(int n) {
  volatile int local[8];
  for (int i = 0; i < 8; i++) local[i] = i * n;
  if (local[3] == 9) longjmp(back, n + local[7]);
  Jump(n + 1);
}

static void OnUser(int signal) {
  signals += signal == SIGUSR1 ? 1 : 100;
  if (signal == SIGUSR1 && signals < 3) {
    raise(SIGUSR2);  // blocked until this handler ends
    nested = signals;
  }
}

static void OnFault(int signal, siginfo_t* info, void* context) {
  (void)signal;
  (void)context;
  siglongjmp(recover, info->si_addr == (void*)0x10 ? 2 : 1);
}

__attribute__((noinline)) static int Fault(int* where) { return *where + 1; }

int main(void) {
  int total = 0;
  int code = setjmp(back);
  if (code == 0) Jump(0);
  total += code;
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = OnUser;
  sigemptyset(&action.sa_mask);
  sigaddset(&action.sa_mask, SIGUSR2);
  sigaction(SIGUSR1, &action, NULL);
  sigaction(SIGUSR2, &action, NULL);
  sigset_t all, old;
  sigfillset(&all);
  sigprocmask(SIG_BLOCK, &all, &old);
  raise(SIGUSR1);
  total = total * 10 + signals;
  sigprocmask(SIG_SETMASK, &old, NULL);
  total = total * 10 + signals + nested;
  stack_t stack = {.ss_sp = alternate, .ss_size = sizeof alternate};
  sigaltstack(&stack, NULL);
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  action.sa_sigaction = OnFault;
  sigaction(SIGSEGV, &action, NULL);
  for (volatile int i = 0; i < 3; i++) {
    int fault = sigsetjmp(recover, 1);
    if (fault == 0) total += Fault((int*)0x10);
    total = total * 10 + fault;
  }
  printf("%d %d\n", total, (int)signals);
  return 0;
}
