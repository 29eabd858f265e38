// A thread prints more than its pipe holds. The bug: its reader waits for its end before it reads,
// if it has learned in time that there will be an end.
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "program.h"

static int ends[2];
static int patient;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void* print(void* unused) {
  pthread_mutex_lock(&lock);
  patient = 1;
  pthread_mutex_unlock(&lock);
  FILE* out = fdopen(ends[1], "w");
  for (int i = 0; i < 1000; i++) assert(fprintf(out, "%08d\n", i) == 9);
  assert(fclose(out) == 0);
  return unused;
}

int main(void) {
  assert(pipe(ends) == 0 && fcntl(ends[1], F_SETPIPE_SZ, 4096) == 4096);
  pthread_t thread = start(print);
  pthread_mutex_lock(&lock);
  int waits = patient;
  pthread_mutex_unlock(&lock);
  if (waits) finish(thread);
  FILE* in = fdopen(ends[0], "r");
  int number;
  for (int i = 0; i < 1000; i++) assert(fscanf(in, "%d", &number) == 1 && number == i);
  if (!waits) finish(thread);
  return 0;
}
