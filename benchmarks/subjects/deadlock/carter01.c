// Two kinds of visitors count themselves under a guard lock; the first of a kind takes the shared
// room, the last gives it back. The room is taken while the guard is held. The bug: one kind holds
// the room and needs the guard to leave, the other holds the guard and waits for the room. It needs
// one thread between entering and leaving when another of the other kind enters: 9 random walks in
// 10 (computed).
#include <pthread.h>
#include <semaphore.h>

static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;
static sem_t room;
static volatile int reds, blues;

static void visit(volatile int* count) {
  pthread_mutex_lock(&guard);
  *count = *count + 1;
  if (*count == 1) sem_wait(&room);
  pthread_mutex_unlock(&guard);

  pthread_mutex_lock(&guard);
  *count = *count - 1;
  if (*count == 0) sem_post(&room);
  pthread_mutex_unlock(&guard);
}

static void* red(void* unused) {
  visit(&reds);
  return unused;
}

static void* blue(void* unused) {
  visit(&blues);
  return unused;
}

int main(void) {
  pthread_t threads[4];
  sem_init(&room, 0, 1);
  for (int i = 0; i < 4; i++) pthread_create(&threads[i], 0, i < 2 ? red : blue, 0);
  for (int i = 0; i < 4; i++) pthread_join(threads[i], 0);
  return 0;
}
