// A thread looks for a while whether another process writes to a segment of System V memory: none
// does, and looking was no hang. What it writes there itself no other run finds.
#include <stdatomic.h>
#include <sys/ipc.h>
#include <sys/shm.h>

#include "program.h"

enum { kLooks = 4000 };

static atomic_int* answer;

static void* watch(void* unused) {
  for (int looks = 0; looks < kLooks && atomic_load(answer) == 0; looks++) {
  }
  assert(atomic_fetch_add(answer, 1) == 0);
  return unused;
}

int main(void) {
  int segment = shmget(IPC_PRIVATE, sizeof *answer, IPC_CREAT | 0600);
  answer = shmat(segment, NULL, 0);
  assert(shmctl(segment, IPC_RMID, NULL) == 0 && answer != (void*)-1);
  pthread_t watcher = start(watch);
  assert(atomic_load(answer) <= 1);
  finish(watcher);
  return 0;
}
