// A thread looks for a while whether another process writes to a file that is mapped: none does,
// and looking was no hang.
#define _GNU_SOURCE
#include <stdatomic.h>
#include <sys/mman.h>
#include <unistd.h>

#include "program.h"

enum { kLooks = 4000 };

static atomic_int* answer;

static void* watch(void* unused) {
  for (int looks = 0; looks < kLooks && atomic_load(answer) == 0; looks++) {
  }
  return unused;
}

int main(void) {
  int file = memfd_create("answer", MFD_CLOEXEC);
  assert(file >= 0 && ftruncate(file, sizeof *answer) == 0);
  answer = mmap(NULL, sizeof *answer, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  assert(answer != MAP_FAILED);
  pthread_t watcher = start(watch);
  assert(atomic_load(answer) == 0);
  finish(watcher);
  return 0;
}
