// Two threads lock x, unlock it, lock it again and never let go: the second one waits for ever, in every order.
#include <pthread.h>

static pthread_mutex_t x = PTHREAD_MUTEX_INITIALIZER;

static void* work(void* unused) {
  pthread_mutex_lock(&x);
  pthread_mutex_unlock(&x);
  pthread_mutex_lock(&x);
  return unused;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, work, 0);
  pthread_create(&b, 0, work, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  return 0;
}
