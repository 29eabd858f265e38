// Transfers between three accounts, the two locks always taken in the order of the accounts.
// Correct: no deadlock, no money lost.
#include <assert.h>
#include <pthread.h>

enum { ACCOUNTS = 3, THREADS = 3, TRANSFERS = 2 };

static pthread_mutex_t lock[ACCOUNTS] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER,
                                         PTHREAD_MUTEX_INITIALIZER};
static volatile int balance[ACCOUNTS] = {100, 100, 100};

static void transfer(int from, int to, int amount) {
  int low = from < to ? from : to, high = from < to ? to : from;
  pthread_mutex_lock(&lock[low]);
  pthread_mutex_lock(&lock[high]);
  balance[from] = balance[from] - amount;
  balance[to] = balance[to] + amount;
  pthread_mutex_unlock(&lock[high]);
  pthread_mutex_unlock(&lock[low]);
}

static void* work(void* arg) {
  int self = (int)(long)arg;
  for (int i = 0; i < TRANSFERS; i++) transfer(self % ACCOUNTS, (self + 1) % ACCOUNTS, 10 + i);
  return 0;
}

int main(void) {
  pthread_t threads[THREADS];
  for (long i = 0; i < THREADS; i++) pthread_create(&threads[i], 0, work, (void*)i);
  for (int i = 0; i < THREADS; i++) pthread_join(threads[i], 0);
  assert(balance[0] + balance[1] + balance[2] == 300);
  return 0;
}
