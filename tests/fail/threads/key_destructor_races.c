// A destructor of thread-specific data updates a total without a lock: an update can be lost at the
// threads' ends.
#include "program.h"

static pthread_key_t key;
static volatile int total;

static void destroy(void* value) { total = total + (int)(long)value; }

static void* use(void* unused) {
  pthread_setspecific(key, (void*)1L);
  return unused;
}

int main(void) {
  pthread_key_create(&key, destroy);
  pthread_t a = start(use), b = start(use);
  finish(a);
  finish(b);
  assert(total == 2);
  return 0;
}
