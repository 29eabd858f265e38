// A named semaphore, opened twice under one name, is one semaphore.
#include <fcntl.h>
#include <semaphore.h>
#include <stdio.h>
#include <unistd.h>

#include "program.h"

static char name[64];
static volatile int value;

static void* produce(void* unused) {
  sem_t* full = sem_open(name, 0);
  assert(full != SEM_FAILED);
  value = 1;
  sem_post(full);
  sem_close(full);
  return unused;
}

int main(void) {
  snprintf(name, sizeof name, "/rff-test-%d", (int)getpid());
  sem_unlink(name);
  sem_t* full = sem_open(name, O_CREAT | O_EXCL, 0600, 0);
  assert(full != SEM_FAILED);
  pthread_t t = start(produce);
  sem_wait(full);
  assert(value == 1);
  finish(t);
  sem_close(full);
  sem_unlink(name);
  return 0;
}
