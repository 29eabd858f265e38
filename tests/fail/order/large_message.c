// A message of thousands of words is handed over through a lock; then two threads count without
// one. When they do, the run has had all the stops that what locks hand over may cost.
#include "program.h"

enum { kWords = 2500 };
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t arrived = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t both_done;
static long message[kWords];
static int handed_over, messages;

static void* send(void* unused) {
  for (int i = 0; i < kWords; i++) {
    message[i] = i;
  }
  pthread_mutex_lock(&mutex);
  handed_over = 1;
  pthread_cond_signal(&arrived);
  pthread_mutex_unlock(&mutex);
  pthread_barrier_wait(&both_done);
  messages++;
  return unused;
}

static void* receive(void* unused) {
  pthread_mutex_lock(&mutex);
  while (!handed_over) {
    pthread_cond_wait(&arrived, &mutex);
  }
  pthread_mutex_unlock(&mutex);
  long sum = 0;
  for (int i = 0; i < kWords; i++) {
    sum += message[i];
  }
  assert(sum == kWords * (kWords - 1L) / 2);
  pthread_barrier_wait(&both_done);
  messages++;
  return unused;
}

int main(void) {
  pthread_barrier_init(&both_done, NULL, 2);
  pthread_t threads[] = {start(send), start(receive)};
  finish(threads[0]);
  finish(threads[1]);
  assert(messages == 2);
  return 0;
}
