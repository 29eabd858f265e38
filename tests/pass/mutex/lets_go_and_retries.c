// Two threads take two locks in opposite order; who does not get the second lets the first go and
// tries again, at once or after a while. In step with each other they would do so for ever.
#include <unistd.h>

#include "program.h"

static pthread_mutex_t first = PTHREAD_MUTEX_INITIALIZER, second = PTHREAD_MUTEX_INITIALIZER;
static int taken;

static void take_both(pthread_mutex_t* a, pthread_mutex_t* b, int pause) {
  for (;;) {
    pthread_mutex_lock(a);
    if (pthread_mutex_trylock(b) == 0) {
      break;
    }
    pthread_mutex_unlock(a);
    if (pause > 0) {
      usleep(pause);
    }
  }
  ++taken;
  pthread_mutex_unlock(b);
  pthread_mutex_unlock(a);
}

static void* forwards(void* unused) {
  for (int i = 0; i < 6; ++i) {
    take_both(&first, &second, i < 3 ? 0 : 10);
  }
  return unused;
}

static void* backwards(void* unused) {
  for (int i = 0; i < 6; ++i) {
    take_both(&second, &first, i < 3 ? 0 : 10);
  }
  return unused;
}

int main(void) {
  pthread_t a = start(forwards), b = start(backwards);
  finish(a);
  finish(b);
  assert(taken == 12);
  return 0;
}
