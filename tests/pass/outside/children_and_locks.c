// One thread waits for a child process that another thread must let go on; one waits for a lock of
// a file that another thread holds.
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#include "program.h"

static int go[2];
static int first, second;

static void* let_go(void* unused) {
  char bytes[4] = {0, 1, 2, 3};
  assert(write(go[1], bytes, 4) == 4);
  return unused;
}

static pid_t child(int status) {
  pid_t pid = fork();
  if (pid == 0) {
    char byte;
    _exit(read(go[0], &byte, 1) == 1 ? status : 100);
  }
  assert(pid > 0);
  return pid;
}

static void* unlock(void* unused) {
  assert(flock(first, LOCK_UN) == 0);
  return unused;
}

int main(void) {
  assert(pipe(go) == 0);
  pid_t children[4];
  for (int i = 0; i < 4; i++) {
    children[i] = child(i + 1);
  }
  pthread_t other = start(let_go);
  int status = 0;
  siginfo_t info = {0};
  assert(waitpid(children[0], &status, 0) == children[0] && WEXITSTATUS(status) == 1);
  assert(waitid(P_PID, (id_t)children[1], &info, WEXITED) == 0 && info.si_status == 2);
  assert(wait4(children[2], &status, 0, NULL) == children[2] && WEXITSTATUS(status) == 3);
  assert(wait(&status) == children[3] && WEXITSTATUS(status) == 4);
  finish(other);

  char name[] = "/tmp/rff-lock-XXXXXX";
  first = mkstemp(name);
  second = open(name, O_RDWR);
  assert(first >= 0 && second >= 0);
  unlink(name);
  assert(flock(first, LOCK_EX) == 0);
  other = start(unlock);
  assert(flock(second, LOCK_EX) == 0);
  finish(other);
  assert(flock(first, LOCK_EX | LOCK_NB) == -1 && errno == EWOULDBLOCK);
  return 0;
}
