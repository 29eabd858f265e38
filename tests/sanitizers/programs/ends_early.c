// A thread that leaves through pthread_exit and one that is cancelled: the loader then loads a
// library, and what it allocates for that is no leak of the program.
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;
static int ends;

static void release(void* unused) {
  ends++;
  pthread_mutex_unlock(&lock);
}

static void* wait_for_ever(void* unused) {
  pthread_mutex_lock(&lock);
  pthread_cleanup_push(release, NULL);
  for (;;) pthread_cond_wait(&never, &lock);
  pthread_cleanup_pop(0);
}

static void* leave(void* unused) {
  pthread_mutex_lock(&lock);
  ends++;
  pthread_mutex_unlock(&lock);
  pthread_exit(&ends);
}

int main(void) {
  pthread_t waiter, leaver;
  assert(pthread_create(&waiter, NULL, wait_for_ever, NULL) == 0);
  assert(pthread_create(&leaver, NULL, leave, NULL) == 0);
  void* value = NULL;
  assert(pthread_join(leaver, &value) == 0 && value == &ends);
  assert(pthread_cancel(waiter) == 0);
  assert(pthread_join(waiter, &value) == 0 && value == PTHREAD_CANCELED);
  pthread_mutex_lock(&lock);
  assert(ends >= 1);
  pthread_mutex_unlock(&lock);
  return 0;
}
