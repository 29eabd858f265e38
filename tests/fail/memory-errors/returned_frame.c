// A thread asks another one for an answer, into a variable of a function that may return before.
#include "program.h"

static int* asked;
static pthread_barrier_t answered;

__attribute__((noinline)) static int ask(void) {
  int answer = 0;
  __atomic_store_n(&asked, &answer, __ATOMIC_RELEASE);
#ifdef REPAIRED
  if (__atomic_exchange_n(&asked, NULL, __ATOMIC_ACQ_REL) == NULL) {
    pthread_barrier_wait(&answered);
  }
#endif
  return __atomic_load_n(&answer, __ATOMIC_ACQUIRE);
}

static void* asker(void* unused) {
  ask();
  return unused;
}

static void* answerer(void* unused) {
  int* to = __atomic_exchange_n(&asked, NULL, __ATOMIC_ACQ_REL);
  if (to != NULL) {
    __atomic_store_n(to, 1, __ATOMIC_RELEASE);
#ifdef REPAIRED
    pthread_barrier_wait(&answered);
#endif
  }
  return unused;
}

int main(void) {
  pthread_barrier_init(&answered, NULL, 2);
  pthread_t first = start(asker), second = start(answerer);
  finish(second);
  finish(first);
  pthread_barrier_destroy(&answered);
  return 0;
}
