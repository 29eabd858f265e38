// Philosophers who always take the lower-numbered fork first. Correct: no deadlock, everybody eats.
#include <assert.h>
#include <pthread.h>

enum { SEATS = 4 };

static pthread_mutex_t fork_lock[SEATS];
static volatile int meals[SEATS];

static void* dine(void* arg) {
  int self = (int)(long)arg, other = (self + 1) % SEATS;
  int low = self < other ? self : other, high = self < other ? other : self;
  pthread_mutex_lock(&fork_lock[low]);
  pthread_mutex_lock(&fork_lock[high]);
  meals[self] = meals[self] + 1;
  pthread_mutex_unlock(&fork_lock[high]);
  pthread_mutex_unlock(&fork_lock[low]);
  return 0;
}

int main(void) {
  pthread_t threads[SEATS];
  for (int i = 0; i < SEATS; i++) pthread_mutex_init(&fork_lock[i], 0);
  for (long i = 0; i < SEATS; i++) pthread_create(&threads[i], 0, dine, (void*)i);
  for (int i = 0; i < SEATS; i++) pthread_join(threads[i], 0);
  for (int i = 0; i < SEATS; i++) assert(meals[i] == 1);
  return 0;
}
