// A channel on which two receivers wait, each with its own box. A sender puts its message into the
// box of the first receiver in line but wakes the last one. The bug: with two receivers waiting,
// the woken one has no message and the one that has is never woken. It needs both receivers in line
// before the first send: 37 of 195 random walks (measured).
#include <pthread.h>

enum { RECEIVERS = 2 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t wake[RECEIVERS] = {PTHREAD_COND_INITIALIZER, PTHREAD_COND_INITIALIZER};
static volatile int line[RECEIVERS], waiting, box[RECEIVERS], spare;

static void* receive(void* arg) {
  long self = (long)arg;
  pthread_mutex_lock(&lock);
  if (spare > 0) {
    spare = spare - 1;
  } else {
    line[waiting] = (int)self;
    waiting = waiting + 1;
    while (!box[self]) pthread_cond_wait(&wake[self], &lock);
  }
  pthread_mutex_unlock(&lock);
  return 0;
}

static void* send_all(void* unused) {
  for (int i = 0; i < RECEIVERS; i++) {
    pthread_mutex_lock(&lock);
    if (waiting == 0) {
      spare = spare + 1;
    } else {
      int first = line[0], last = line[waiting - 1];
      box[first] = 1;
      for (int j = 1; j < waiting; j++) line[j - 1] = line[j];
      waiting = waiting - 1;
      pthread_cond_signal(&wake[last]);
    }
    pthread_mutex_unlock(&lock);
  }
  return unused;
}

int main(void) {
  pthread_t receivers[RECEIVERS], sender;
  pthread_create(&sender, 0, send_all, 0);
  for (long i = 0; i < RECEIVERS; i++) pthread_create(&receivers[i], 0, receive, (void*)i);
  pthread_join(sender, 0);
  for (int i = 0; i < RECEIVERS; i++) pthread_join(receivers[i], 0);
  return 0;
}
