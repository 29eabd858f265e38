// A process that is made by clone works on memory of its own, while the threads of the one that
// made it go on.
#define _GNU_SOURCE
#include <sched.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "program.h"

#define THREADS 3
#define ROUNDS 200

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int counter;
static volatile int childs;
static char stack[1 << 16];

static void* count(void* unused) {
  for (int i = 0; i < 5; i++) {
    pthread_mutex_lock(&lock);
    counter++;
    pthread_mutex_unlock(&lock);
  }
  return unused;
}

static int work(void* unused) {
  (void)unused;
  for (int i = 0; i < ROUNDS; i++) childs++;
  _exit(childs == ROUNDS ? 0 : 1);
}

int main(void) {
  pthread_t threads[THREADS];
  for (int i = 0; i < THREADS; i++) threads[i] = start(count);
  int child = clone(work, stack + sizeof stack, SIGCHLD, NULL);
  assert(child > 0);
  for (int i = 0; i < THREADS; i++) finish(threads[i]);
  int status = -1;
  assert(waitpid(child, &status, 0) == child);
  assert(status == 0);
  assert(childs == 0 && counter == 5 * THREADS);
  return 0;
}
