// Two threads send a record each through one pipe, in two halves. The bug: nothing keeps the other
// one from sending in between.
#include <semaphore.h>
#include <unistd.h>

#include "program.h"

static int ends[2];
static sem_t sent;

static void* sends(void* half) {
  for (int i = 0; i < 2; ++i) assert(write(ends[1], half, 1) == 1);
  sem_post(&sent);
  return NULL;
}

static void* receives(void* unused) {
  char bytes[4];
  for (int i = 0; i < 2; ++i) sem_wait(&sent);
  assert(read(ends[0], bytes, 4) == 4);
  assert(bytes[0] == bytes[1] && bytes[2] == bytes[3]);
  return unused;
}

int main(void) {
  assert(pipe(ends) == 0 && sem_init(&sent, 0, 0) == 0);
  pthread_t threads[3] = {start_with(sends, "a"), start_with(sends, "b"), start(receives)};
  for (int i = 0; i < 3; ++i) finish(threads[i]);
  return 0;
}
