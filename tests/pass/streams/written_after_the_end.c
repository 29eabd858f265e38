// What the C library flushes last of all calls the program once more, when threads are still there
// and nothing is scheduled any longer. With an argument that call does nothing.
#define _GNU_SOURCE
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

#include "program.h"

static atomic_long turns;
static int rounds = 20000;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static ssize_t take_turns(void* cookie, const char* bytes, size_t size) {
  (void)cookie, (void)bytes;
  for (int i = 0; i < rounds; i++) atomic_fetch_add(&turns, 1);
  return (ssize_t)size;
}

static void* turn(void* unused) {
  for (int i = 0; i < 5; i++) atomic_fetch_add(&turns, 1);
  pthread_mutex_lock(&lock);
  return unused;
}

int main(int argc, char** argv) {
  (void)argv;
  if (argc > 1) rounds = 0;
  cookie_io_functions_t functions = {.write = take_turns};
  FILE* stream = fopencookie(0, "w", functions);
  pthread_mutex_lock(&lock);
  for (int i = 0; i < 2; i++) start(turn);
  fputs("text", stream);
  return 0;
}
