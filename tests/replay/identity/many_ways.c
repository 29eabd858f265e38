// One bug, reached in 50 ways: many_ways KIND NUMBER fails in every schedule.
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define NOT_INLINED __attribute__((noinline))

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int total = 3;
int* volatile missing;
const char* kind;

NOT_INLINED void lock_twice(void) {
  pthread_mutex_lock(&lock);
  total++;
  pthread_mutex_lock(&lock);
  total++;
}
NOT_INLINED void wrong_total(void) {
  if (total != 4) abort();
}
NOT_INLINED void through_nothing(void) { *missing = total; }

NOT_INLINED void bug(int depth) {
  if (depth > 0) {
    bug(depth - 1);
  } else if (strcmp(kind, "deadlock") == 0) {
    lock_twice();
  } else if (strcmp(kind, "abort") == 0) {
    wrong_total();
  } else {
    through_nothing();
  }
  __asm__ volatile("");
}

#define WAY(n)                       \
  NOT_INLINED void way##n(void) {    \
    bug(n % 7);                      \
    __asm__ volatile("nop" : : "i"(n)); \
  }
#define TEN(n) WAY(n##0) WAY(n##1) WAY(n##2) WAY(n##3) WAY(n##4) WAY(n##5) WAY(n##6) WAY(n##7) WAY(n##8) WAY(n##9)
TEN(1) TEN(2) TEN(3) TEN(4) TEN(5)
#define NAMES(n) way##n##0, way##n##1, way##n##2, way##n##3, way##n##4, way##n##5, way##n##6, way##n##7, way##n##8, way##n##9
static void (*const kWays[])(void) = {NAMES(1), NAMES(2), NAMES(3), NAMES(4), NAMES(5)};

static void* run(void* way) {
  kWays[*(int*)way]();
  return NULL;
}

int main(int argc, char** argv) {
  if (argc != 3) return 0;
  kind = argv[1];
  int way = atoi(argv[2]);
  pthread_t thread;
  pthread_create(&thread, NULL, run, &way);
  pthread_join(thread, NULL);
  return 0;
}
