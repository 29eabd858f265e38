// CHECKERS threads change a value under the right lock and check that nobody interfered; STRANGERS
// threads change it under another lock. The bug: a stranger's write falls into the checker's
// critical section. With 7 strangers 65 of 136 random walks, with 3 strangers 59 of 156 (measured).
#include <assert.h>
#include <pthread.h>

#ifndef CHECKERS
#define CHECKERS 1
#endif
#ifndef STRANGERS
#define STRANGERS 7
#endif

enum { ROUNDS = 4 };

static pthread_mutex_t right = PTHREAD_MUTEX_INITIALIZER, wrong = PTHREAD_MUTEX_INITIALIZER;
static volatile int value;

static void* check(void* unused) {
  for (int i = 0; i < ROUNDS; i++) {
    pthread_mutex_lock(&right);
    int before = value;
    value = before + 1;
    assert(value == before + 1);
    pthread_mutex_unlock(&right);
  }
  return unused;
}

static void* disturb(void* unused) {
  for (int i = 0; i < ROUNDS; i++) {
    pthread_mutex_lock(&wrong);
    value = value + 1;
    pthread_mutex_unlock(&wrong);
  }
  return unused;
}

int main(void) {
  pthread_t checkers[CHECKERS], strangers[STRANGERS];
  for (int i = 0; i < CHECKERS; i++) pthread_create(&checkers[i], 0, check, 0);
  for (int i = 0; i < STRANGERS; i++) pthread_create(&strangers[i], 0, disturb, 0);
  for (int i = 0; i < CHECKERS; i++) pthread_join(checkers[i], 0);
  for (int i = 0; i < STRANGERS; i++) pthread_join(strangers[i], 0);
  return 0;
}
