// When a file was last read is kept from a program, but not what the program has set itself.
#define _GNU_SOURCE
#include <sys/mman.h>
#include <sys/stat.h>

#include "program.h"

static int file;

static void* set_times(void* unused) {
  const struct timespec times[2] = {{1000, 1}, {2000, 2}};
  assert(futimens(file, times) == 0);
  return unused;
}

int main(void) {
  file = memfd_create("times", MFD_CLOEXEC);
  assert(file >= 0);
  finish(start(set_times));
  struct stat status;
  assert(fstat(file, &status) == 0);
  assert(status.st_atim.tv_sec == 1000 && status.st_atim.tv_nsec == 1);
  assert(status.st_mtim.tv_sec == 2000 && status.st_mtim.tv_nsec == 2);
  return 0;
}
