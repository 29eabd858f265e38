// A child process runs by itself, with its own copy of memory; threads of the parent go on while
// one waits for it.
#include <sys/wait.h>
#include <unistd.h>

#include "program.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int counter;

static void* count(void* unused) {
  pthread_mutex_lock(&lock);
  counter++;
  pthread_mutex_unlock(&lock);
  return unused;
}

static void* make_child(void* unused) {
  pid_t child = fork();
  if (child == 0) {
    counter = 100;
    _exit(7);
  }
  int status = 0;
  assert(child > 0 && waitpid(child, &status, 0) == child);
  assert(WIFEXITED(status) && WEXITSTATUS(status) == 7);
  return unused;
}

int main(void) {
  pthread_t a = start(make_child), b = start(count);
  finish(a);
  finish(b);
  assert(counter == 1);
  return 0;
}
