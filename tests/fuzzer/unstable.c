// A program whose runs differ, in the way that its argument names; "none" and
// "timestamp": they do not.
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "program.h"

// In a library that is not patched: it asks the kernel by instructions of its own.
uint64_t unseen_clock(void);
uint64_t unseen_process(void);
uint64_t unseen_random(void);
uint64_t unseen_timestamp(void);

uint64_t inode_seen, ticks_seen, time_seen, process_seen, random_seen, same_seen;
static const char* way;

static void ask(void) {
  if (strcmp(way, "inode") == 0) {
    static struct stat status;
    char name[] = "/tmp/rff-unstable-XXXXXX";
    int fd = mkstemp(name);
    assert(fd >= 0 && fstat(fd, &status) == 0);
    // The number of the run before is free again: the file of one run keeps it from the next.
    char kept[64];
    snprintf(kept, sizeof kept, "/tmp/rff-unstable-kept-%llx", (unsigned long long)unseen_random());
    assert(rename(name, kept) == 0);
    inode_seen = status.st_ino;
    close(fd);
  } else if (strcmp(way, "counter") == 0) {
    static char line[4096];
    int fd = open("/proc/vmstat", O_RDONLY);
    assert(fd >= 0 && read(fd, line, sizeof line - 1) > 0);
    close(fd);
    for (const char* c = line; *c != 0; c++) {
      ticks_seen = ticks_seen * 31 + (unsigned char)*c;
    }
  } else if (strcmp(way, "time") == 0) {
    time_seen = unseen_clock();
  } else if (strcmp(way, "identity") == 0) {
    process_seen = unseen_process();
  } else if (strcmp(way, "random") == 0) {
    random_seen = unseen_random();
  } else if (strcmp(way, "timestamp") == 0) {
    same_seen = unseen_timestamp();
  } else {
    same_seen = (uint64_t)getpid() + (uint64_t)time(NULL);
  }
}

static void* body(void* unused) {
  static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  pthread_mutex_lock(&lock);
  ask();
  pthread_mutex_unlock(&lock);
  return unused;
}

int main(int argc, char** argv) {
  way = argc > 1 ? argv[1] : "none";
  pthread_t a = start(body), b = start(body);
  finish(a);
  finish(b);
  return 0;
}
