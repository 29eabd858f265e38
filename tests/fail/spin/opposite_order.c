// Two spin locks in opposite order.
#include "program.h"

static pthread_spinlock_t a, b;

static void* ab(void* unused) {
  pthread_spin_lock(&a);
  pthread_spin_lock(&b);
  pthread_spin_unlock(&b);
  pthread_spin_unlock(&a);
  return unused;
}

static void* ba(void* unused) {
  pthread_spin_lock(&b);
  pthread_spin_lock(&a);
  pthread_spin_unlock(&a);
  pthread_spin_unlock(&b);
  return unused;
}

int main(void) {
  pthread_spin_init(&a, PTHREAD_PROCESS_PRIVATE);
  pthread_spin_init(&b, PTHREAD_PROCESS_PRIVATE);
  pthread_t s = start(ab), t = start(ba);
  finish(s);
  finish(t);
  return 0;
}
