// Everything that differs from run to run without a schedule: random numbers, clocks, ids,
// addresses. Two threads write it all to memory and to the standard output; nothing of it may ever
// change.
#define _GNU_SOURCE
#include <fcntl.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <sys/time.h>
#include <sys/times.h>
#include <unistd.h>
#ifdef __x86_64__
#include <cpuid.h>
#endif

#include "program.h"

enum { kMost = 256 };
static struct {
  const char* name;
  uint64_t value;
} seen[kMost];
static int count;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void note(const char* name, uint64_t value) {
  pthread_mutex_lock(&lock);
  assert(count < kMost);
  seen[count].name = name;
  seen[count++].value = value;
  pthread_mutex_unlock(&lock);
}

static void random_numbers(void) {
  uint64_t value = 0;
  assert(getrandom(&value, sizeof value, 0) == sizeof value);
  note("getrandom", value);
  assert(getentropy(&value, sizeof value) == 0);
  note("getentropy", value);
  assert(syscall(SYS_getrandom, &value, sizeof value, 0) == sizeof value);
  note("SYS_getrandom", value);
  int fd = open("/dev/urandom", O_RDONLY | O_CLOEXEC);
  if (fd >= 0) {
    assert(read(fd, &value, sizeof value) == sizeof value);
    note("/dev/urandom", value);
    close(fd);
  }
  FILE* file = fopen("/dev/urandom", "r");
  if (file != NULL) {
    assert(fread(&value, sizeof value, 1, file) == 1);
    note("/dev/urandom through stdio", value);
    fclose(file);
  }
  note("rand", (uint64_t)rand());
  unsigned char* bytes = (unsigned char*)getauxval(AT_RANDOM);
  memcpy(&value, bytes, sizeof value);
  note("AT_RANDOM", value);
}

static void clocks(void) {
  struct timespec t;
  struct timeval v;
  struct rusage usage;
  struct tms ticks;
  for (int clock = CLOCK_REALTIME; clock <= CLOCK_BOOTTIME; clock++) {
    assert(clock_gettime(clock, &t) == 0);
    note("clock_gettime", (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec);
    assert(clock_getres(clock, &t) == 0);
    note("clock_getres", (uint64_t)t.tv_nsec);
  }
  assert(gettimeofday(&v, NULL) == 0);
  note("gettimeofday", (uint64_t)v.tv_sec * 1000000 + (uint64_t)v.tv_usec);
  note("time", (uint64_t)time(NULL));
  note("clock", (uint64_t)clock());
  note("times", (uint64_t)times(&ticks) + (uint64_t)ticks.tms_utime);
  assert(getrusage(RUSAGE_SELF, &usage) == 0);
  note("getrusage", (uint64_t)usage.ru_utime.tv_usec + (uint64_t)usage.ru_maxrss);
  clockid_t clock = 0;
  assert(clock_getcpuclockid(0, &clock) == 0);
  assert(clock_gettime(clock, &t) == 0);
  note("clock of the process", (uint64_t)t.tv_nsec);
#ifdef __x86_64__
  note("rdtsc", __builtin_ia32_rdtsc());
#endif
  struct sysinfo info;
  assert(sysinfo(&info) == 0);
  note("sysinfo", (uint64_t)info.uptime + info.freeram + info.loads[0]);
}

static void identities(void) {
  note("getpid", (uint64_t)getpid());
  note("getppid", (uint64_t)getppid());
  note("gettid", (uint64_t)gettid());
  note("SYS_getpid", (uint64_t)syscall(SYS_getpid));
  note("SYS_gettid", (uint64_t)syscall(SYS_gettid));
  note("getpgrp", (uint64_t)getpgrp());
  note("getsid", (uint64_t)getsid(0));
  note("pthread_self", (uint64_t)pthread_self());
  note("sched_getcpu", (uint64_t)sched_getcpu());
#ifdef __x86_64__
  // Which processor it runs on is also part of what cpuid tells.
  unsigned a = 0, b = 0, c = 0, d = 0;
  __cpuid_count(1, 0, a, b, c, d);
  note("cpuid, features", b);
  if (__get_cpuid_count(0xb, 0, &a, &b, &c, &d) != 0) {
    note("cpuid, topology", d);
  }
#endif
  note("processors", (uint64_t)sysconf(_SC_NPROCESSORS_ONLN));
  note("configured processors", (uint64_t)sysconf(_SC_NPROCESSORS_CONF));
  note("get_nprocs", (uint64_t)get_nprocs());
  cpu_set_t cpus;
  CPU_ZERO(&cpus);
  sched_getaffinity(0, sizeof cpus, &cpus);
  note("affinity", (uint64_t)CPU_COUNT(&cpus));
  char name[64] = "/tmp/rff-XXXXXX";
  int fd = mkstemp(name);
  if (fd >= 0) {
    uint64_t value = 0;
    memcpy(&value, name + strlen(name) - 6, 6);
    note("mkstemp", value);
    unlink(name);
    close(fd);
  }
}

static _Thread_local int own;

static void addresses(void) {
  int local = 0;
  note("stack", (uint64_t)&local);
  note("thread-local", (uint64_t)&own);
  note("global", (uint64_t)&count);
  note("function", (uint64_t)&addresses);
  note("library", (uint64_t)&printf);
  note("pointer guard", (uint64_t)__builtin_frame_address(0));
  void* block = malloc(100);
  note("malloc", (uint64_t)block);
  void* large = malloc(1 << 20);
  note("large malloc", (uint64_t)large);
  void* mapping = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  note("mmap", (uint64_t)mapping);
  munmap(mapping, 4096);
  free(large);
  free(block);
  note("vdso", getauxval(AT_SYSINFO_EHDR));
}

static void* look(void* unused) {
  random_numbers();
  clocks();
  identities();
  addresses();
  return unused;
}

int main(void) {
  look(NULL);
  pthread_t a = start(look), b = start(look);
  finish(a);
  finish(b);
  for (int i = 0; i < count; i++) {
    printf("%s %lx\n", seen[i].name, (unsigned long)seen[i].value);
  }
  return 0;
}
