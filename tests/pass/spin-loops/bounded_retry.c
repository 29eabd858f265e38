// A compare-and-swap loop that gives up after ten attempts and then takes the slow path: neither
// deadlock nor hang.
#include "program.h"

static pthread_mutex_t slow = PTHREAD_MUTEX_INITIALIZER;
static int fast_count, slow_count;

static void* add(void* unused) {
  for (int attempt = 0; attempt < 10; attempt++) {
    int before = __atomic_load_n(&fast_count, __ATOMIC_SEQ_CST);
    if (__atomic_compare_exchange_n(&fast_count, &before, before + 1, 0, __ATOMIC_SEQ_CST,
                                    __ATOMIC_SEQ_CST))
      return unused;
  }
  pthread_mutex_lock(&slow);
  slow_count++;
  pthread_mutex_unlock(&slow);
  return unused;
}

int main(void) {
  pthread_t a = start(add), b = start(add), c = start(add);
  finish(a);
  finish(b);
  finish(c);
  assert(fast_count + slow_count == 3);
  return 0;
}
