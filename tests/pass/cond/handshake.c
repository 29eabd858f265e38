// Ping and pong, each waiting in a loop for its turn.
#include "program.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int turn, rounds;

static void* play(void* arg) {
  int self = (int)(long)arg;
  for (int i = 0; i < 3; i++) {
    pthread_mutex_lock(&lock);
    while (turn != self) pthread_cond_wait(&changed, &lock);
    rounds++;
    turn = 1 - self;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
  }
  return NULL;
}

int main(void) {
  pthread_t a = start_with(play, (void*)0L), b = start_with(play, (void*)1L);
  finish(a);
  finish(b);
  assert(rounds == 6 && turn == 0);
  return 0;
}
