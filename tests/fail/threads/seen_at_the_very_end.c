// Two threads count without a lock. A destructor leaves it to an exit handler to look at the
// result.
#define _DEFAULT_SOURCE
#include "program.h"

static volatile int counter;

static void* count(void* unused) {
  counter = counter + 1;
  return unused;
}

static void look(int status, void* unused) {
  (void)status;
  (void)unused;
  assert(counter == 2);
}

__attribute__((destructor)) static void leave_it(void) { on_exit(look, NULL); }

int main(void) {
  pthread_t threads[] = {start(count), start(count)};
  for (int i = 0; i < 2; i++) finish(threads[i]);
  return 0;
}
