// Two threads answer each other over two pipes. The bug: each of them waits for the other's first
// byte if neither has been told to begin.
#include <unistd.h>

#include "program.h"

static int to_first[2], to_second[2];
static int first_begins;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static int begins(void) {
  pthread_mutex_lock(&lock);
  int result = first_begins;
  pthread_mutex_unlock(&lock);
  return result;
}

static void* answer(void* unused) {
  char byte = 0;
  assert(read(to_second[0], &byte, 1) == 1);
  assert(write(to_first[1], "b", 1) == 1);
  return unused;
}

static void* tell(void* unused) {
  pthread_mutex_lock(&lock);
  first_begins = 1;
  pthread_mutex_unlock(&lock);
  return unused;
}

int main(void) {
  assert(pipe(to_first) == 0 && pipe(to_second) == 0);
  pthread_t threads[2] = {start(answer), start(tell)};
  char byte = 0;
  if (begins()) assert(write(to_second[1], "a", 1) == 1);
  assert(read(to_first[0], &byte, 1) == 1);
  finish(threads[0]);
  finish(threads[1]);
  return 0;
}
