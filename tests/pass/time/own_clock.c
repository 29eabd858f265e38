/* A program under test may set the time of day: its own, not the machine's. It gives up the right
 * to set the machine's first, so that only a clock of its own can be set. */
#include <assert.h>
#include <errno.h>
#include <linux/capability.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timex.h>
#include <time.h>
#include <unistd.h>

#define WANTED 86400

static void give_up_the_right(void) {
  struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
  struct __user_cap_data_struct none[2] = {{0, 0, 0}, {0, 0, 0}};
  syscall(SYS_capset, &header, none);
}

static long seconds(clockid_t clock) {
  struct timespec t;
  clock_gettime(clock, &t);
  return t.tv_sec;
}

static void* set(void* raw) {
  struct timespec wanted = {WANTED, 0};
  int set = raw ? (int)syscall(SYS_clock_settime, CLOCK_REALTIME, &wanted)
                : clock_settime(CLOCK_REALTIME, &wanted);
  assert(set == 0 || (errno == EPERM && geteuid() != 0));
  return set == 0 ? &errno : NULL;
}

int main(void) {
  give_up_the_right();
  long before = seconds(CLOCK_MONOTONIC);
  for (long raw = 0; raw < 2; raw++) {
    pthread_t thread;
    void* was_set;
    pthread_create(&thread, NULL, set, (void*)raw);
    pthread_join(thread, &was_set);
    if (was_set) assert(seconds(CLOCK_REALTIME) >= WANTED && seconds(CLOCK_REALTIME) < WANTED + 60);
  }
  assert(seconds(CLOCK_MONOTONIC) - before < 60);
  struct timespec bad = {0, 1000000000};
  assert(clock_settime(CLOCK_REALTIME, &bad) == -1 && errno == EINVAL);
  struct timeval step = {1, 0};
  assert(adjtime(&step, NULL) == -1 && errno == EPERM);
  struct timex state = {.modes = ADJ_FREQUENCY};
  assert(adjtimex(&state) == -1 && errno == EPERM);
  return 0;
}
