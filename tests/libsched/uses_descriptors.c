// uses_descriptors WAY: closes, duplicates or lists descriptors that it has not opened before it
// makes a thread, as programs do that want to begin with none but the standard ones.
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "program.h"

static const char* way;
static int is(const char* name) { return strcmp(way, name) == 0; }

static void* nothing(void* unused) { return unused; }

// Numbers far above those that are in use.
static void take_numbers(void) {
  int file = open("/dev/null", O_WRONLY);
  for (int number = 100; number < 1000; ++number) {
    assert(dup2(file, number) == number);
    assert(write(number, "x", 1) == 1);
    assert(close(number) == 0);
  }
}

static void close_listed(void) {
  DIR* folder = opendir("/proc/self/fd");
  struct dirent* entry;
  while ((entry = readdir(folder)) != NULL) {
    int number = atoi(entry->d_name);
    if (number > 2 && number != dirfd(folder)) {
      close(number);
    }
  }
  closedir(folder);
}

int main(int count, char** words) {
  way = count > 1 ? words[1] : "";
  if (is("closefrom")) {
    closefrom(3);
  } else if (is("close_range")) {
    assert(close_range(3, ~0u, 0) == 0);
  } else if (is("system-call")) {
    assert(syscall(SYS_close_range, 3, ~0u, 0) == 0);
  } else if (is("close")) {
    for (int number = 3; number < 1000; ++number) {
      assert(close(number) == -1 && errno == EBADF);
      assert(fcntl(number, F_GETFD) == -1 && errno == EBADF);
      assert(dup(number) == -1 && errno == EBADF);
    }
  } else if (is("dup2")) {
    take_numbers();
  } else if (is("listed")) {
    close_listed();
  }
  int before = open("/dev/null", O_RDONLY);
  finish(start(nothing));
  int after = open("/dev/null", O_RDONLY);
  assert(before == 3 || is("dup2"));
  assert(after == before + 1);
  return 0;
}
