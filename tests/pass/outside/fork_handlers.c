// Handlers around a fork hold a lock that other threads use; children use it again, and vfork runs
// no handlers.
#define _GNU_SOURCE
#include <sys/wait.h>
#include <unistd.h>

#include "program.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int counter, before, after;

static void prepare(void) {
  pthread_mutex_lock(&lock);
  before++;
}

static void in_parent(void) {
  after++;
  pthread_mutex_unlock(&lock);
}

static void in_child(void) { pthread_mutex_unlock(&lock); }

static void* count(void* unused) {
  for (int i = 0; i < 3; i++) {
    pthread_mutex_lock(&lock);
    counter++;
    pthread_mutex_unlock(&lock);
  }
  return unused;
}

int main(void) {
  pthread_atfork(prepare, in_parent, in_child);
  pthread_t a = start(count), b = start(count);
  int status = 1;
  pid_t child = fork();
  if (child == 0) {
    counter = 0;
    finish(start(count));
    _exit(counter == 3 ? 0 : 1);
  }
  assert(waitpid(child, &status, 0) == child && status == 0);
  child = vfork();
  if (child == 0) {
    execl("/bin/true", "true", (char*)NULL);
    _exit(1);
  }
  assert(waitpid(child, &status, 0) == child && status == 0);
  finish(a);
  finish(b);
  assert(counter == 6 && before == 1 && after == 1);
  return 0;
}
