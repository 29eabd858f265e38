// What was handed over through a lock is changed by the one that handed it over.
#include "program.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct { int sum, parts[2]; } message;
static int handed_over;

static void* send(void* unused) {
  message.parts[0] = 1;
  message.parts[1] = 2;
  message.sum = 3;
  pthread_mutex_lock(&mutex);
  handed_over = 1;
  pthread_mutex_unlock(&mutex);
  message.parts[1] = 5;  // too late
  message.sum = 6;
  return unused;
}

static void* receive(void* unused) {
  pthread_mutex_lock(&mutex);
  int mine = handed_over;
  pthread_mutex_unlock(&mutex);
  if (mine) {
    int parts = message.parts[0] + message.parts[1];
    assert(parts == message.sum);
  }
  return unused;
}

int main(void) {
  pthread_t threads[] = {start(send), start(receive)};
  finish(threads[0]);
  finish(threads[1]);
  return 0;
}
