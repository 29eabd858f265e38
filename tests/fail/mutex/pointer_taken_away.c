// The pointer to a mutex is cleared while another thread is about to lock it.
#include "program.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t* volatile pointer = &lock;

static void* use(void* unused) {
  pthread_mutex_lock(pointer);
  pthread_mutex_unlock(&lock);
  return unused;
}

static void* take_away(void* unused) {
  pointer = NULL;
  return unused;
}

int main(void) {
  pthread_t a = start(use), b = start(take_away);
  finish(a);
  finish(b);
  return 0;
}
