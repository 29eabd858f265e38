// However a program asks how many processors there are and on which it runs, the answer is one.
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <unistd.h>
#ifdef __x86_64__
#include <cpuid.h>
#endif

#include "program.h"

#define CPU "/sys/devices/system/cpu"

static int listed(const char* path, const char* beginning) {
  FILE* file = fopen(path, "r");
  assert(file != NULL);
  int n = 0;
  for (char line[4096]; fgets(line, sizeof line, file) != NULL;) {
    n += strncmp(line, beginning, strlen(beginning)) == 0;
  }
  fclose(file);
  return n;
}

// Reads "0-3", or "0" if there is one; returns the number of processors.
static int count_of(const char* text) {
  int first = -1, last = -1;
  int found = sscanf(text, "%d-%d", &first, &last);
  assert(found >= 1 && first == 0);
  return found == 1 ? 1 : last + 1;
}

static int count_in(const char* path) {
  char by_stream[256] = "", by_descriptor[256] = "";
  FILE* file = fopen(path, "r");
  assert(file != NULL && fgets(by_stream, sizeof by_stream, file) != NULL);
  fclose(file);
  int fd = (int)syscall(SYS_openat, AT_FDCWD, path, O_RDONLY);
  assert(fd >= 0 && read(fd, by_descriptor, sizeof by_descriptor - 1) > 0);
  close(fd);
  assert(strcmp(by_stream, by_descriptor) == 0);
  return count_of(by_stream);
}

static void field(const char* path, const char* name, char* value, size_t room) {
  FILE* file = fopen(path, "r");
  assert(file != NULL);
  value[0] = 0;
  for (char line[4096]; fgets(line, sizeof line, file) != NULL;) {
    if (strncmp(line, name, strlen(name)) == 0) {
      snprintf(value, room, "%s", line + strlen(name) + strspn(line + strlen(name), "\t "));
    }
  }
  fclose(file);
}

static void ask_sets(int n) {
  cpu_set_t set;
  assert(sched_getaffinity(0, sizeof set, &set) == 0);
  assert(CPU_COUNT(&set) == n);
  CPU_ZERO(&set);
  assert(syscall(SYS_sched_getaffinity, 0, sizeof set, &set) == (n + 63) / 64 * 8);
  assert(CPU_COUNT(&set) == n);
  assert(syscall(SYS_sched_getaffinity, 0, (n + 63) / 64 * 8 - 1, &set) < 0);
  assert(pthread_getaffinity_np(pthread_self(), sizeof set, &set) == 0);
  assert(CPU_COUNT(&set) == n);
}

static int folders_in(const char* path) {
  DIR* folder = opendir(path);
  assert(folder != NULL);
  int found = 0, number;
  for (struct dirent* entry; (entry = readdir(folder)) != NULL;) {
    found += sscanf(entry->d_name, "cpu%d", &number) == 1;
  }
  closedir(folder);
  struct dirent** names;
  int all = scandir(path, &names, NULL, alphasort), scanned = 0;
  for (int i = 0; i < all; i++) {
    scanned += sscanf(names[i]->d_name, "cpu%d", &number) == 1;
    free(names[i]);
  }
  free(names);
  assert(scanned == found);
  return found;
}

static void ask_files(int n) {
  assert(listed("/proc/cpuinfo", "processor\t") == n);
  assert(listed("/proc/stat", "cpu") == n + 1);
  assert(count_in(CPU "/online") == n);
  assert(count_in(CPU "/possible") == n);
  assert(count_in(CPU "/present") == n);
  assert(count_in(CPU "/cpu0/topology/core_siblings_list") == n);
  assert(count_in("/sys/devices/system/node/node0/cpulist") == n);
  assert(folders_in(CPU) == n);
  char path[128];
  struct stat status;
  snprintf(path, sizeof path, CPU "/cpu%d", n - 1);
  assert(access(path, F_OK) == 0 && stat(path, &status) == 0 && S_ISDIR(status.st_mode));
  snprintf(path, sizeof path, CPU "/cpu%d", n);
  assert(access(path, F_OK) != 0 && stat(path, &status) != 0 && opendir(path) == NULL);
  char value[256];
  field("/proc/self/status", "Cpus_allowed_list:", value, sizeof value);
  assert(count_of(value) == n);
}

static void ask_instructions(int n) {
#ifdef __x86_64__
  unsigned a = 0, b = 0, c = 0, d = 0;
  __cpuid(1, a, b, c, d);
  assert((int)(b >> 16 & 0xff) == (n < 255 ? n : 255));
  if (__get_cpuid_count(0xb, 1, &a, &b, &c, &d) != 0 && b != 0) {
    assert((int)b == n);
  }
#endif
}

static void ask_where(int processor) {
  unsigned here = 99, node = 99;
  assert(sched_getcpu() == processor);
  assert(getcpu(&here, &node) == 0 && (int)here == processor && node == 0);
  assert(syscall(SYS_getcpu, &here, &node, NULL) == 0 && (int)here == processor);
#ifdef __x86_64__
  unsigned a = 0, b = 0, c = 0, d = 0;
  __cpuid(1, a, b, c, d);
  assert((int)(b >> 24) == processor);
  if (__get_cpuid_count(0xb, 0, &a, &b, &c, &d) != 0 && b != 0) {
    assert((int)d == processor);
  }
  unsigned told = 99;
  __builtin_ia32_rdtscp(&told);
  assert((int)told == processor);
#endif
}

// A thread is told what it may use, and runs there.
static void choose_last(int n) {
  cpu_set_t set;
  CPU_ZERO(&set);
  assert(sched_setaffinity(0, sizeof set, &set) != 0);
  CPU_SET(n - 1, &set);
  assert(pthread_setaffinity_np(pthread_self(), sizeof set, &set) == 0);
  CPU_ZERO(&set);
  assert(sched_getaffinity(0, sizeof set, &set) == 0);
  assert(CPU_COUNT(&set) == 1 && CPU_ISSET(n - 1, &set));
  ask_where(n - 1);
}

static void* ask(void* processors) {
  int n = *(int*)processors;
  assert(sysconf(_SC_NPROCESSORS_ONLN) == n);
  assert(sysconf(_SC_NPROCESSORS_CONF) == n);
  assert(get_nprocs() == n);
  assert(get_nprocs_conf() == n);
  ask_sets(n);
  ask_files(n);
  ask_instructions(n);
  ask_where(0);
  return NULL;
}

static void* ask_and_choose(void* processors) {
  ask(processors);
  choose_last(*(int*)processors);
  return NULL;
}

int main(void) {
  int n = get_nprocs();
  ask(&n);
  pthread_t a = start_with(ask_and_choose, &n), b = start_with(ask, &n);
  finish(a);
  finish(b);
  printf("%d\n", n);
  return 0;
}
