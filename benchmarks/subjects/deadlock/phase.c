// Two threads work in phases; the gate of the next phase is a mutex that the one who finishes the
// phase first keeps. Main hands out no order, so the second thread may take both gates in the other
// order. The bug: one owns gate one and wants gate two, the other the reverse, because each began
// with the phase that happened to be current. It needs the phase to change between the two starts:
// 1 random walk in 16 (computed).
#include <pthread.h>

static pthread_mutex_t gate[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static volatile int phase;

static void* work(void* unused) {
  int current = phase;
  pthread_mutex_lock(&gate[current]);
  phase = !current;
  pthread_mutex_lock(&gate[!current]);
  phase = current;
  pthread_mutex_unlock(&gate[!current]);
  pthread_mutex_unlock(&gate[current]);
  return unused;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, work, 0);
  pthread_create(&b, 0, work, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  return 0;
}
