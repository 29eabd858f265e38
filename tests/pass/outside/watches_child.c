// A thread watches memory that a child process will write, for longer than one would believe a loop
// that waits for another thread: that is no hang. The child writes once it is asked to, and so the
// number of looks is always the same.
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "program.h"

enum { kLooks = 4000 };

static atomic_int* answer;
static int request[2];

static void* watch(void* child) {
  int looks = 0;
  while (atomic_load(answer) == 0 && looks < kLooks) {
    looks++;
  }
  assert(looks == kLooks);
  assert(write(request[1], "?", 1) == 1);
  int status = 1;
  assert(waitpid(*(pid_t*)child, &status, 0) == *(pid_t*)child && status == 0);
  assert(atomic_load(answer) == 1);
  return NULL;
}

int main(void) {
  answer = mmap(NULL, sizeof *answer, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  assert(answer != MAP_FAILED && pipe(request) == 0);
  pid_t child = fork();
  if (child == 0) {
    char byte;
    _exit(read(request[0], &byte, 1) == 1 && atomic_fetch_add(answer, 1) == 0 ? 0 : 1);
  }
  pthread_t watcher = start_with(watch, &child);
  assert(atomic_load(answer) <= 1);
  finish(watcher);
  return 0;
}
