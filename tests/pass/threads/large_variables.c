// Thread-local variables as large as the usual stack.
#include "program.h"

#define BYTES (8 << 20)

static __thread char own[BYTES];
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int count;

static void* work(void* value) {
  assert(own[0] == 0 && own[BYTES - 1] == 0);
  own[0] = own[BYTES - 1] = *(char*)value;
  pthread_mutex_lock(&mutex);
  ++count;
  pthread_mutex_unlock(&mutex);
  assert(own[0] == *(char*)value && own[BYTES - 1] == *(char*)value);
  return NULL;
}

int main(void) {
  char values[] = {1, 2, 3};
  pthread_t first = start_with(work, &values[0]);
  pthread_t second = start_with(work, &values[1]);
  work(&values[2]);
  finish(first);
  finish(second);
  finish(start_with(work, &values[0]));
  assert(count == 4);
  return 0;
}
