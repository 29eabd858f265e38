// counts_passes WHERE: a thread waits for a flag, but gives up after three passes. The count is in
// a register, on the stack or in a variable.
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

enum { PASSES = 3 };

static atomic_int flag, gave_up;
static int count;

static void in_register(void) {
  int passes = 0;
  while (!atomic_load(&flag) && ++passes < PASSES) {
  }
  if (passes == PASSES) atomic_store(&gave_up, 1);
}

static void on_stack(void) {
  volatile int passes = 0;
  while (!atomic_load(&flag)) {
    passes = passes + 1;
    if (passes == PASSES) {
      atomic_store(&gave_up, 1);
      return;
    }
  }
}

static void in_variable(void) {
  while (!atomic_load(&flag)) {
    if (++count == PASSES) {
      atomic_store(&gave_up, 1);
      return;
    }
  }
}

static void* wait_for_it(void* where) {
  if (!strcmp(where, "register")) in_register();
  if (!strcmp(where, "stack")) on_stack();
  if (!strcmp(where, "variable")) in_variable();
  return 0;
}

// Sets the flag as soon as the other thread has given up, if it does.
static void* set_it(void* unused) {
  while (!atomic_load(&gave_up)) {
  }
  atomic_store(&flag, 1);
  return unused;
}

int main(int argc, char** argv) {
  pthread_t waiter, setter;
  pthread_create(&waiter, 0, wait_for_it, argc > 1 ? argv[1] : "register");
  pthread_create(&setter, 0, set_it, 0);
  pthread_join(waiter, 0);
  pthread_join(setter, 0);
  return 0;
}
