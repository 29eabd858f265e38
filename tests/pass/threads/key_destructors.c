// Thread-specific data: every thread has its own value, destructors run at a thread's end and
// before the join returns.
#include "program.h"

static pthread_key_t key;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int destroyed;

static void destroy(void* value) {
  pthread_mutex_lock(&lock);
  destroyed += *(int*)value;
  pthread_mutex_unlock(&lock);
  free(value);
}

static void* use(void* arg) {
  int* value = malloc(sizeof *value);
  *value = (int)(long)arg;
  assert(pthread_getspecific(key) == NULL);
  pthread_setspecific(key, value);
  assert(pthread_getspecific(key) == value);
  return NULL;
}

int main(void) {
  assert(pthread_key_create(&key, destroy) == 0);
  pthread_t a = start_with(use, (void*)1L), b = start_with(use, (void*)2L);
  finish(a);
  finish(b);
  assert(destroyed == 3);
  pthread_key_delete(key);
  return 0;
}
