// Two threads count together for long, without a lock, and updates are lost on the way.
#include "program.h"

enum { kRounds = 12000 };
static volatile int counter;

static void* count(void* unused) {
  for (int i = 0; i < kRounds; i++) counter = counter + 1;
  return unused;
}

int main(void) {
  pthread_t one = start(count), other = start(count);
  finish(one);
  finish(other);
  assert(counter == 2 * kRounds);
  return 0;
}
