// Memory, names, time and numbers of the machine and of the process: every way to ask gives the
// same answer.
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "program.h"

static void text_of(const char* path, char* text, size_t room) {
  FILE* file = fopen(path, "r");
  assert(file != NULL);
  size_t n = fread(text, 1, room - 1, file);
  text[n] = 0;
  fclose(file);
  text[strcspn(text, "\n")] = 0;
}

static unsigned long long number_after(const char* path, const char* name) {
  FILE* file = fopen(path, "r");
  assert(file != NULL);
  unsigned long long value = ~0ULL;
  for (char line[4096]; fgets(line, sizeof line, file) != NULL;) {
    if (strncmp(line, name, strlen(name)) == 0) {
      assert(sscanf(line + strlen(name), "%llu", &value) == 1);
    }
  }
  fclose(file);
  return value;
}

static void memory(void) {
  struct sysinfo info, bare;
  assert(sysinfo(&info) == 0);
  assert(syscall(SYS_sysinfo, &bare) == 0);
  assert(info.totalram == bare.totalram && info.freeram == bare.freeram);
  unsigned long long total = (unsigned long long)info.totalram * info.mem_unit;
  unsigned long long left = (unsigned long long)info.freeram * info.mem_unit;
  unsigned long long page = (unsigned long long)sysconf(_SC_PAGESIZE);
  assert(number_after("/proc/meminfo", "MemTotal:") * 1024 == total);
  assert(number_after("/proc/meminfo", "MemFree:") * 1024 == left);
  assert((unsigned long long)sysconf(_SC_PHYS_PAGES) * page == total);
  assert((unsigned long long)sysconf(_SC_AVPHYS_PAGES) * page == left);
  assert((unsigned long long)get_phys_pages() * page == total);
}

static void names(void) {
  struct utsname name, bare;
  char host[256], text[256];
  assert(uname(&name) == 0);
  assert(syscall(SYS_uname, &bare) == 0);
  assert(strcmp(name.nodename, bare.nodename) == 0 && strcmp(name.release, bare.release) == 0);
  assert(gethostname(host, sizeof host) == 0 && strcmp(host, name.nodename) == 0);
  text_of("/proc/sys/kernel/hostname", text, sizeof text);
  assert(strcmp(text, name.nodename) == 0);
  text_of("/proc/sys/kernel/osrelease", text, sizeof text);
  assert(strcmp(text, name.release) == 0);
  text_of("/proc/version", text, sizeof text);
  assert(strstr(text, name.release) != NULL);
}

static void times(void) {
  struct timespec before, after;
  struct sysinfo info;
  char text[256];
  assert(clock_gettime(CLOCK_BOOTTIME, &before) == 0);
  text_of("/proc/uptime", text, sizeof text);
  assert(sysinfo(&info) == 0);
  assert(clock_gettime(CLOCK_BOOTTIME, &after) == 0);
  assert(info.uptime >= before.tv_sec && info.uptime <= after.tv_sec);
  long seconds = atol(text);
  assert(seconds >= before.tv_sec && seconds <= after.tv_sec);
  assert(clock_gettime(CLOCK_REALTIME, &before) == 0);
  long started = (long)number_after("/proc/stat", "btime");
  assert(before.tv_sec - after.tv_sec - started <= 1 && started <= before.tv_sec - after.tv_sec);
#ifdef __x86_64__
  unsigned long long counter = __builtin_ia32_rdtsc();
  assert(clock_gettime(CLOCK_MONOTONIC, &after) == 0);
  unsigned long long now = (unsigned long long)after.tv_sec * 1000000000 + (unsigned)after.tv_nsec;
  assert(counter < now && now - counter < 1000000000);
#endif
}

static void variables(void) {
  static const char kHome[] = "HOME=";
  FILE* file = fopen("/proc/self/environ", "r");
  assert(file != NULL);
  char* text = NULL;
  size_t room = 0;
  while (getdelim(&text, &room, 0, file) > 0) {
    assert(strncmp(text, "RFF_", 4) != 0);
    assert(strncmp(text, kHome, strlen(kHome)) != 0 || strcmp(text + 5, getenv("HOME")) == 0);
  }
  free(text);
  fclose(file);
}

static void process(void) {
  char path[128], text[4096], again[4096];
  unsigned long long own = (unsigned long long)getpid();
  assert(number_after("/proc/self/status", "Pid:") == own);
  assert(number_after("/proc/self/status", "Tgid:") == own);
  assert(number_after("/proc/self/status", "PPid:") == (unsigned long long)getppid());
  assert((unsigned long long)syscall(SYS_getpid) == own);
  snprintf(path, sizeof path, "/proc/%d/stat", getpid());
  text_of(path, text, sizeof text);
  text_of("/proc/self/stat", again, sizeof again);
  assert(atoll(text) == (long long)own && strcmp(text, again) == 0);
  ssize_t n = readlink("/proc/self", text, sizeof text - 1);
  assert(n > 0);
  text[n] = 0;
  assert(atoll(text) == (long long)own);
  assert(realpath("/proc/self/maps", text) != NULL);
  snprintf(path, sizeof path, "/proc/%d/maps", getpid());
  assert(strcmp(text, path) == 0 && access(path, F_OK) == 0);
  snprintf(path, sizeof path, "/proc/self/task/%d/status", gettid());
  assert(number_after(path, "Pid:") == (unsigned long long)gettid());
  DIR* tasks = opendir("/proc/self/task");
  assert(tasks != NULL);
  int own_found = 0;
  for (struct dirent* entry; (entry = readdir(tasks)) != NULL;) {
    own_found += atoi(entry->d_name) == gettid();
  }
  closedir(tasks);
  assert(own_found == 1);
}

// A file of this run has the time of this run.
static void files(void) {
  char name[] = "/tmp/rff-machine-XXXXXX";
  struct stat status, bare;
  struct timespec now;
  int fd = mkstemp(name);
  assert(fd >= 0 && write(fd, "x", 1) == 1);
  assert(fstat(fd, &status) == 0 && syscall(SYS_fstat, fd, &bare) == 0);
  assert(clock_gettime(CLOCK_REALTIME, &now) == 0);
  assert(status.st_mtim.tv_sec == bare.st_mtim.tv_sec);
  assert(status.st_mtim.tv_sec <= now.tv_sec && now.tv_sec - status.st_mtim.tv_sec < 1000);
  unlink(name);
  close(fd);
}

static void print(void) {
  char text[8192];
  for (int i = 0; i < 2; i++) {
    text_of("/proc/sys/kernel/random/boot_id", text, sizeof text);
    printf("boot %s\n", text);
    text_of("/proc/sys/kernel/random/uuid", text, sizeof text);
    printf("random %s\n", text);
  }
  text_of("/proc/self/stat", text, sizeof text);
  printf("stat %s\n", text);
  int fd = open("/proc/self/status", O_RDONLY);
  ssize_t n = read(fd, text, sizeof text - 1);
  assert(n > 0);
  text[n] = 0;
  printf("status %s\n", text);
  struct stat status;
  assert(fstat(fd, &status) == 0);
  printf("file %lx %lx\n", (unsigned long)status.st_ino, (unsigned long)status.st_mtim.tv_nsec);
  close(fd);
}

static void* ask(void* unused) {
  memory();
  names();
  times();
  variables();
  process();
  files();
  return unused;
}

int main(void) {
  ask(NULL);
  pthread_t a = start(ask), b = start(ask);
  finish(a);
  finish(b);
  print();
  return 0;
}
