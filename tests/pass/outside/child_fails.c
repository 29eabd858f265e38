// A child process that fails fails by itself: the parent sees the signal, also where it has a
// handler that children inherit.
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "program.h"

static void on_signal(int number) { _exit(number); }

static int status_of_child(void (*fail)(void)) {
  pid_t child = fork();
  if (child == 0) {
    fail();
    _exit(0);
  }
  int status = 0;
  assert(child > 0 && waitpid(child, &status, 0) == child);
  return status;
}

static void write_nowhere(void) { *(volatile int*)8 = 1; }

static void* make_children(void* unused) {
  int status = status_of_child(write_nowhere);
  assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV);
  status = status_of_child(abort);
  assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
  signal(SIGSEGV, on_signal);
  status = status_of_child(write_nowhere);
  assert(WIFEXITED(status) && WEXITSTATUS(status) == SIGSEGV);
  return unused;
}

int main(void) {
  finish(start(make_children));
  return 0;
}
