// Processes made by system calls that the C library does not know of: they go on alone, in memory
// of their own, while the threads of the one that made them go on.
#define _GNU_SOURCE
#include <sched.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "program.h"

#define THREADS 2

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int counter;

static void* count(void* unused) {
  for (int i = 0; i < 3; i++) {
    pthread_mutex_lock(&lock);
    counter++;
    pthread_mutex_unlock(&lock);
  }
  return unused;
}

static void go_on(long child) {
  assert(child >= 0);
  if (child == 0) {
    int before = counter;
    for (int i = 0; i < 100; i++) {
      counter++;
      sched_yield();  // to nobody: it is alone
    }
    _exit(counter == before + 100 ? 0 : 1);
  }
  int status = -1;
  assert(waitpid((pid_t)child, &status, 0) == child);
  assert(status == 0);
}

int main(void) {
  pthread_t threads[THREADS];
  for (int i = 0; i < THREADS; i++) threads[i] = start(count);
  go_on(syscall(SYS_fork));
  go_on(syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, NULL));
  for (int i = 0; i < THREADS; i++) finish(threads[i]);
  assert(counter == 3 * THREADS);
  return 0;
}
