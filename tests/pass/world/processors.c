// However a program asks how many processors there are, the answer is one.
#define _GNU_SOURCE
#include <dirent.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include "program.h"

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

static int last_of(const char* path) {
  FILE* file = fopen(path, "r");
  assert(file != NULL);
  int first = -1, last = -1;
  assert(fscanf(file, "%d-%d", &first, &last) == 2 && first == 0);
  fclose(file);
  return last;
}

static void* ask(void* processors) {
  int n = *(int*)processors;
  assert(sysconf(_SC_NPROCESSORS_ONLN) == n);
  assert(sysconf(_SC_NPROCESSORS_CONF) == n);
  assert(get_nprocs() == n);
  assert(get_nprocs_conf() == n);
  cpu_set_t set;
  assert(sched_getaffinity(0, sizeof set, &set) == 0);
  assert(CPU_COUNT(&set) == n);
  CPU_ZERO(&set);
  assert(syscall(SYS_sched_getaffinity, 0, sizeof set, &set) > 0);
  assert(CPU_COUNT(&set) == n);
  assert(pthread_getaffinity_np(pthread_self(), sizeof set, &set) == 0);
  assert(CPU_COUNT(&set) == n);
  assert(sched_getcpu() < n);
  assert(listed("/proc/cpuinfo", "processor\t") == n);
  assert(listed("/proc/stat", "cpu") == n + 1);
  assert(last_of("/sys/devices/system/cpu/online") == n - 1);
  assert(last_of("/sys/devices/system/cpu/possible") == n - 1);
  assert(last_of("/sys/devices/system/cpu/present") == n - 1);
  // The folders would tell the machine's own.
  assert(opendir("/sys/devices/system/cpu") == NULL);
  assert(access("/sys/devices/system/cpu/cpu0", F_OK) != 0);
  return NULL;
}

int main(void) {
  int n = get_nprocs();
  ask(&n);
  pthread_t a = start_with(ask, &n), b = start_with(ask, &n);
  finish(a);
  finish(b);
  return 0;
}
