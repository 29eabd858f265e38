// A thread sleeps, looks, waits with a timeout and looks again, for what will never come.
#include <unistd.h>

#include "program.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int ready;

static void* poll(void* unused) {
  for (int seen = 0; !seen;) {
    usleep(1000);
    pthread_mutex_lock(&lock);
    struct timespec until = deadline_in(CLOCK_REALTIME, 10);
    pthread_cond_timedwait(&changed, &lock, &until);
    seen = ready;
    pthread_mutex_unlock(&lock);
  }
  return unused;
}

int main(void) {
  finish(start(poll));
  return 0;
}
