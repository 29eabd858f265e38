// The program and its child lock two bytes of a file crosswise. The locks belong to processes, so one
// of the two hears that its wait would never end, gives up what it has, and the other goes on.
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "program.h"

static char name[] = "/tmp/rff-crosswise-XXXXXX";
static int file, ready[2], go[2];

static int lock_byte(int command, off_t byte, short type) {
  struct flock one = {.l_type = type, .l_whence = SEEK_SET, .l_start = byte, .l_len = 1};
  return fcntl(file, command, &one);
}

// Returns whether it heard that.
static int locks_both(off_t first, off_t second) {
  int heard = lock_byte(F_SETLKW, second, F_WRLCK) != 0;
  if (heard) {
    assert(errno == EDEADLK);
    assert(lock_byte(F_SETLK, first, F_UNLCK) == 0);
  }
  return heard;
}

static void child(void) {
  char byte = 'r';
  assert(lock_byte(F_SETLK, 1, F_WRLCK) == 0);
  assert(write(ready[1], &byte, 1) == 1 && read(go[0], &byte, 1) == 1);
  _exit(locks_both(1, 0));
}

static void* lets_go(void* unused) {
  assert(write(go[1], "g", 1) == 1);
  return unused;
}

int main(void) {
  char byte = 0;
  file = mkstemp(name);
  assert(file >= 0 && pipe(ready) == 0 && pipe(go) == 0);
  pid_t pid = fork();
  if (pid == 0) child();
  assert(pid > 0 && read(ready[0], &byte, 1) == 1);
  assert(lock_byte(F_SETLK, 0, F_WRLCK) == 0);
  pthread_t other = start(lets_go);
  int heard = locks_both(0, 1);
  finish(other);
  if (!heard) assert(lock_byte(F_SETLK, 0, F_UNLCK) == 0);
  int status = 0;
  assert(waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == !heard);
  unlink(name);
  return 0;
}
