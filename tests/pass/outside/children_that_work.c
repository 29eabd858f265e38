// Children that take their time, one of them in conversation with its parent: what threads see of
// them follows from the schedule and not from how fast they are.
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include "program.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int counter;

static void count(void) {
  pthread_mutex_lock(&lock);
  counter++;
  pthread_mutex_unlock(&lock);
}

static void* count_often(void* unused) {
  for (int i = 0; i < 6; i++) {
    count();
  }
  return unused;
}

static void work(void) {
  for (volatile int i = 0; i < 200000; i++) {
  }
}

static void* wait_for_worker(void* unused) {
  pid_t child = fork();
  if (child == 0) {
    work();
    _exit(7);
  }
  int status = 0;
  assert(child > 0 && waitpid(child, &status, 0) == child && WEXITSTATUS(status) == 7);
  count();
  return unused;
}

static void* converse(void* unused) {
  int to[2], from[2];
  assert(pipe(to) == 0 && pipe(from) == 0);
  pid_t child = fork();
  char byte = 0;
  if (child == 0) {
    close(to[1]);
    while (read(to[0], &byte, 1) == 1) {
      work();
      byte++;
      if (write(from[1], &byte, 1) != 1) {
        _exit(1);
      }
    }
    _exit(0);
  }
  for (int i = 0; i < 2; i++) {
    assert(write(to[1], &byte, 1) == 1 && read(from[0], &byte, 1) == 1);
    count();
  }
  assert(byte == 2);
  close(to[1]);
  int status = 0;
  while (waitpid(child, &status, WNOHANG) == 0) {
    sched_yield();
  }
  assert(status == 0);
  count();
  return unused;
}

int main(void) {
  pthread_t threads[] = {start(wait_for_worker), start(count_often), start(converse)};
  for (int i = 0; i < 3; i++) {
    finish(threads[i]);
  }
  assert(counter == 10);
  return 0;
}
