// Threads copy memory that they never wrote, as structures with holes are copied: what calls before
// left on the stack must be the same in every repetition of a run.
#include "program.h"

enum { WORDS = 400 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile unsigned long collected[WORDS];

static __attribute__((noinline)) void collect(void) {
  unsigned long leftovers[WORDS];
  __asm__ volatile("" : "=m"(leftovers));
  for (int i = 0; i < WORDS; i++) collected[i] += leftovers[i];
}

static void* work(void* unused) {
  for (int i = 0; i < 3; i++) {
    pthread_mutex_lock(&lock);
    collect();
    pthread_mutex_unlock(&lock);
  }
  return unused;
}

int main(void) {
  pthread_t thread = start(work);
  work(NULL);
  finish(thread);
  return 0;
}
