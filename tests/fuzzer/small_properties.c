// A property that fails for one value in one order, and one that discards nearly every input.
#include <pthread.h>
#include <rff/property.h>

static volatile int counter;

static void* add(void* unused) {
  counter = counter + 1;
  return unused;
}

RFF_PROPERTY(lost_update) {
  int threads = rff_int(1, 3);
  pthread_t all[3];
  counter = 0;
  for (int i = 0; i < threads; i++) pthread_create(&all[i], 0, add, 0);
  for (int i = 0; i < threads; i++) pthread_join(all[i], 0);
  rff_check(counter == threads);
}

RFF_PROPERTY(discards) { rff_assume(rff_long() == 77); }
