// A handler takes the lock that the thread it interrupts may hold.
#include <signal.h>

#include "program.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int counter;

static void handle(int number) {
  (void)number;
  pthread_mutex_lock(&lock);
  counter++;
  pthread_mutex_unlock(&lock);
}

static void* count(void* unused) {
  handle(0);
  return unused;
}

int main(void) {
  signal(SIGUSR1, handle);
  pthread_t thread = start(count);
  pthread_kill(thread, SIGUSR1);
  finish(thread);
  assert(counter <= 2);
  return 0;
}
