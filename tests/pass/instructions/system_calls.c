// System calls without the C library's functions for them, and system call instructions in the
// program's own code, wait for other threads like the functions do.
#define _GNU_SOURCE
#include <linux/futex.h>
#include <poll.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "program.h"

static int ends[2];
static int word;
static pid_t child;

static long instruction(long number, long a, long b, long c, long d) {
  register long r10 asm("r10") = d;
  register long r8 asm("r8") = 0;
  register long r9 asm("r9") = 0;
  long result;
  asm volatile("syscall"
               : "=a"(result)
               : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
               : "rcx", "r11", "memory");
  return result;
}

static void* produce(void* unused) {
  for (int i = 0; i < 3; i++) {
    assert(instruction(SYS_write, ends[1], (long)"abc", 1, 0) == 1);
  }
  __atomic_store_n(&word, 1, __ATOMIC_SEQ_CST);
  syscall(SYS_futex, &word, FUTEX_WAKE, 1, NULL, NULL, 0);
  struct timespec moment = {3, 0};
  assert(instruction(SYS_nanosleep, (long)&moment, 0, 0, 0) == 0);
  return unused;
}

int main(void) {
  assert(pipe(ends) == 0);
  pthread_t other = start(produce);
  char byte = 0;
  assert(syscall(SYS_read, ends[0], &byte, 1) == 1 && byte == 'a');
  assert(instruction(SYS_read, ends[0], (long)&byte, 1, 0) == 1 && byte == 'a');
  struct pollfd p = {ends[0], POLLIN, 0};
  assert(instruction(SYS_poll, (long)&p, 1, -1, 0) == 1 && p.revents == POLLIN);
  while (__atomic_load_n(&word, __ATOMIC_SEQ_CST) == 0) {
    instruction(SYS_futex, (long)&word, FUTEX_WAIT, 0, 0);
  }
  assert(instruction(SYS_read, -1, 0, 0, 0) == -EBADF);
  errno = 0;
  assert(syscall(SYS_read, -1, NULL, 0) == -1 && errno == EBADF);
  finish(other);
  assert(instruction(SYS_getpid, 0, 0, 0, 0) == getpid());
  child = fork();
  if (child == 0) {
    _exit(7);
  }
  int status = 0;
  assert(instruction(SYS_wait4, child, (long)&status, 0, 0) == child && WEXITSTATUS(status) == 7);
  return 0;
}
