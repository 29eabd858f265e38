// The bare futex system call for the test programs that build their own primitives.
#pragma once
#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static inline long futex(int* word, int operation, int value, const struct timespec* timeout) {
  return syscall(SYS_futex, word, operation, value, timeout, NULL, 0);
}
