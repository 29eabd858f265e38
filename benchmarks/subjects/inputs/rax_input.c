// If the input is 100, main waits on a condition variable that another thread signals once. The
// bug: it waits without looking whether the signal has come already.
#include <pthread.h>

#include "input.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t ready = PTHREAD_COND_INITIALIZER;
static int is_ready;

static void* announce(void* unused) {
  pthread_mutex_lock(&lock);
  is_ready = 1;
  pthread_cond_broadcast(&ready);
  pthread_mutex_unlock(&lock);
  return unused;
}

int main(int argc, char** argv) {
  long wanted = read_number(argc, argv);
  pthread_t thread;
  pthread_create(&thread, 0, announce, 0);
  if (wanted == 100) {
    pthread_mutex_lock(&lock);
#ifdef RIGHT
    while (!is_ready) pthread_cond_wait(&ready, &lock);
#else
    pthread_cond_wait(&ready, &lock);
#endif
    pthread_mutex_unlock(&lock);
  }
  pthread_join(thread, 0);
  return 0;
}
