// A thread that finds a flag set takes a normal mutex which it already holds.
#include "program.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile int flag;

static void* nested(void* unused) {
  pthread_mutex_lock(&lock);
  if (flag) {
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
  }
  pthread_mutex_unlock(&lock);
  return unused;
}

static void* raise_flag(void* unused) {
  flag = 1;
  flag = 0;
  return unused;
}

int main(void) {
  pthread_t a = start(nested), b = start(raise_flag);
  finish(a);
  finish(b);
  return 0;
}
