// time, gettimeofday and clock_gettime tell the same time of day; a thread and the process have
// clocks of the time they have run, and no others.
#include <errno.h>
#include <limits.h>
#include <sys/time.h>
#include <unistd.h>

#include "program.h"

static void* compare(void* unused) {
  struct timespec before, after;
  struct timeval between;
  clock_gettime(CLOCK_REALTIME, &before);
  gettimeofday(&between, NULL);
  clock_gettime(CLOCK_REALTIME, &after);
  long long b = before.tv_sec * 1000000LL + before.tv_nsec / 1000,
            m = between.tv_sec * 1000000LL + between.tv_usec;
  assert(b <= m && m <= after.tv_sec * 1000000LL + after.tv_nsec / 1000);
  time_t seconds = time(NULL);
  assert(seconds + 1 >= before.tv_sec);
  clockid_t mine, process;
  assert(pthread_getcpuclockid(pthread_self(), &mine) == 0 && clock_gettime(mine, &before) == 0);
  assert(clock_getcpuclockid(getpid(), &process) == 0 && clock_gettime(process, &after) == 0);
  assert(before.tv_sec < 100 && after.tv_sec < 100 && clock_getres(process, &after) == 0);
  assert(clock_gettime(-1, &after) == -1 && errno == EINVAL);
  assert(clock_gettime(INT_MIN, &after) == -1 && errno == EINVAL);
  return unused;
}

int main(void) {
  pthread_t a = start(compare), b = start(compare);
  finish(a);
  finish(b);
  return 0;
}
