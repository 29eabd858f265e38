// Looks at all that a process inherits, which fuzzer, shell and replay leave as they like (its
// environment, signals, limits, standard streams, terminal), at the machine's state and at when a
// file was last read. Another thread reads what was seen, so that it belongs to the run; then the
// program fails.
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "program.h"

extern char** environ;

enum {
  kEnvironment,
  kIgnored,
  kBlocked,
  kLimits,
  kFlags,
  kKinds,
  kInput,
  kPosition,
  kTerminal,
  kMachine,
  kAccessTimes,
  kSeen
};
static volatile unsigned long seen[kSeen];

static void add(int what, unsigned long value) {
  seen[what] = (seen[what] ^ value) * 0x9e3779b97f4a7c15ul + 1;
}

static void look_at_signals(void) {
  sigset_t blocked;
  sigprocmask(SIG_BLOCK, NULL, &blocked);
  for (int number = 1; number < NSIG; number++) {
    struct sigaction action;
    if (sigaction(number, NULL, &action) == 0) {
      add(kIgnored, action.sa_handler == SIG_IGN);
      add(kBlocked, (unsigned long)sigismember(&blocked, number));
    }
  }
}

static void look_at_streams(void) {
  for (int fd = 0; fd < 3; fd++) {
    struct stat status;
    assert(fstat(fd, &status) == 0);
    add(kFlags, (unsigned long)fcntl(fd, F_GETFL));
    add(kKinds, status.st_mode);
    add(kKinds, status.st_rdev);
    add(kPosition, (unsigned long)lseek(fd, 0, SEEK_CUR));
    char byte;
    add(kInput, (unsigned long)read(fd, &byte, 1));
  }
  add(kTerminal, open("/dev/tty", O_RDWR) >= 0);
}

static void look_at_machine(void) {
  static const char* const kFiles[] = {"/proc/meminfo", "/proc/stat", "/proc/loadavg",
                                       "/proc/uptime"};
  for (int i = 0; i < 4; i++) {
    FILE* stream = fopen(kFiles[i], "r");
    int fd = open(kFiles[i], O_RDONLY);
    assert(stream != NULL && fd >= 0);
    int first = getc(stream);
    unsigned char byte;
    assert(first != EOF && read(fd, &byte, 1) == 1 && byte == first);
    while (read(fd, &byte, 1) == 1) {
      add(kMachine, byte);
    }
    fclose(stream);
    close(fd);
  }
  double load = -1;
  assert(getloadavg(&load, 1) == 1);
  add(kMachine, (unsigned long)(load * 100));
}

static void look_at_access_times(void) {
  static const char kFile[] = "/proc/self/exe";
  int fd = open(kFile, O_RDONLY);
  struct stat status[3];
  struct stat64 wide[3];
  struct statx extended;
  assert(stat(kFile, &status[0]) == 0 && stat64(kFile, &wide[0]) == 0);
  assert(fstat(fd, &status[1]) == 0 && fstat64(fd, &wide[1]) == 0);
  assert(fstatat(AT_FDCWD, kFile, &status[2], 0) == 0);
  assert(fstatat64(AT_FDCWD, kFile, &wide[2], 0) == 0);
  for (int i = 0; i < 3; i++) {
    add(kAccessTimes, (unsigned long)status[i].st_atim.tv_sec);
    add(kAccessTimes, (unsigned long)status[i].st_atim.tv_nsec);
    add(kAccessTimes, (unsigned long)wide[i].st_atim.tv_sec);
  }
  char path[4096] = {0};
  assert(readlink(kFile, path, sizeof path - 1) > 0);
  assert(lstat(path, &status[0]) == 0 && lstat64(path, &wide[0]) == 0);
  add(kAccessTimes, (unsigned long)status[0].st_atim.tv_sec);
  add(kAccessTimes, (unsigned long)wide[0].st_atim.tv_sec);
  assert(statx(AT_FDCWD, kFile, 0, STATX_ATIME, &extended) == 0);
  add(kAccessTimes, (unsigned long)extended.stx_atime.tv_sec);
  close(fd);
}

static void* read_all(void* unused) {
  for (int i = 0; i < kSeen; i++) {
    assert(seen[i] != 0);
  }
  return unused;
}

int main(void) {
  for (char** v = environ; *v != NULL; v++) {
    for (char* c = *v; *c != 0; c++) {
      add(kEnvironment, (unsigned char)*c);
    }
  }
  look_at_signals();
  for (int i = 0; i < RLIMIT_NLIMITS; i++) {
    struct rlimit limit;
    assert(getrlimit(i, &limit) == 0);
    add(kLimits, limit.rlim_cur);
    add(kLimits, limit.rlim_max);
  }
  look_at_streams();
  look_at_machine();
  look_at_access_times();
  finish(start(read_all));
  assert(!"the program has looked at everything");
}
