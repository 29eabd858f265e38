// Two deposits and a withdrawal change a balance without a lock; main audits at the end. The bug:
// an update falls between another's read and write and is lost. Of the 90 interleavings of the
// three read-write pairs only the 6 serial ones are right: 5 random walks in 6 fail (computed, all
// threads started).
#include <assert.h>
#include <pthread.h>

static volatile int balance = 100;

static void* deposit(void* arg) {
  balance = balance + *(int*)arg;
  return 0;
}

static void* withdraw(void* arg) {
  balance = balance - *(int*)arg;
  return 0;
}

int main(void) {
  static int thirty = 30, five = 5, twenty = 20;
  pthread_t threads[3];
  pthread_create(&threads[0], 0, deposit, &thirty);
  pthread_create(&threads[1], 0, withdraw, &twenty);
  pthread_create(&threads[2], 0, deposit, &five);
  for (int i = 0; i < 3; i++) pthread_join(threads[i], 0);
  assert(balance == 115);
  return 0;
}
