// time, gettimeofday and clock_gettime tell the same time of day.
#include <sys/time.h>

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
  return unused;
}

int main(void) {
  pthread_t a = start(compare), b = start(compare);
  finish(a);
  finish(b);
  return 0;
}
