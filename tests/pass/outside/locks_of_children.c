// A child holds locks that threads wait for, on a file of its own opening and through a description
// that it has inherited. Both waits are for something outside: they end when the child gives the
// locks back, and until then nothing is a deadlock.
#define _GNU_SOURCE
#include <fcntl.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#include "program.h"

static char name[] = "/tmp/rff-child-XXXXXX", other[] = "/tmp/rff-other-XXXXXX";
static int inherited, ready[2];
static const struct timespec moment = {0, 100 * 1000 * 1000};

static void child(void) {
  int file = open(name, O_RDWR);
  struct flock all = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
  int right = flock(file, LOCK_EX) == 0 && fcntl(file, F_SETLK, &all) == 0;
  right = right && write(ready[1], "r", 1) == 1 && nanosleep(&moment, NULL) == 0;
  right = right && close(file) == 0 && nanosleep(&moment, NULL) == 0;
  right = right && flock(inherited, LOCK_UN) == 0;
  _exit(right ? 0 : 1);
}

static void* waits_for_child(void* unused) {
  int file = open(name, O_RDWR);
  assert(file >= 0 && flock(file, LOCK_EX) == 0);
  return unused;
}

static void* waits_for_range(void* unused) {
  int file = open(name, O_RDWR);
  struct flock all = {.l_type = F_RDLCK, .l_whence = SEEK_SET};
  assert(file >= 0 && fcntl(file, F_SETLKW, &all) == 0);
  return unused;
}

// The program holds this lock itself, but the child gives it back.
static void* waits_for_inherited(void* unused) {
  int file = open(other, O_RDWR);
  assert(file >= 0 && flock(file, LOCK_EX) == 0);
  return unused;
}

int main(void) {
  close(mkstemp(name));
  inherited = mkstemp(other);
  assert(inherited >= 0 && pipe(ready) == 0 && flock(inherited, LOCK_EX) == 0);
  pid_t pid = fork();
  if (pid == 0) child();
  char byte = 0;
  assert(pid > 0 && read(ready[0], &byte, 1) == 1);
  pthread_t threads[3] = {start(waits_for_child), start(waits_for_range),
                          start(waits_for_inherited)};
  for (int i = 0; i < 3; ++i) finish(threads[i]);
  int status = 0;
  assert(waitpid(pid, &status, 0) == pid && status == 0);
  unlink(name);
  unlink(other);
  return 0;
}
