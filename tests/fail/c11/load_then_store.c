// An atomic counter that is loaded and stored in two steps.
#include <assert.h>
#include <stdatomic.h>
#include <threads.h>

static atomic_int counter;

static int add(void* unused) {
  (void)unused;
  atomic_store(&counter, atomic_load(&counter) + 1);
  return 0;
}

int main(void) {
  thrd_t a, b;
  thrd_create(&a, add, 0);
  thrd_create(&b, add, 0);
  thrd_join(a, 0);
  thrd_join(b, 0);
  assert(atomic_load(&counter) == 2);
  return 0;
}
