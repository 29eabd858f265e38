// The same memory holds one mutex after another, of different kinds: no state survives destroy and
// init.
#include "program.h"

static pthread_mutex_t lock;
static volatile int counter;

static void* add(void* unused) {
  pthread_mutex_lock(&lock);
  counter = counter + 1;
  pthread_mutex_unlock(&lock);
  return unused;
}

int main(void) {
  int kinds[] = {PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_RECURSIVE, PTHREAD_MUTEX_ERRORCHECK};
  for (int i = 0; i < 3; i++) {
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, kinds[i]);
    assert(pthread_mutex_init(&lock, &attributes) == 0);
    pthread_t a = start(add), b = start(add);
    finish(a);
    finish(b);
    assert(pthread_mutex_destroy(&lock) == 0);
    pthread_mutexattr_destroy(&attributes);
  }
  assert(counter == 6);
  return 0;
}
