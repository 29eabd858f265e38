/* Work of a known amount for scripts/bench throughput: `work events N` makes each of two threads
 * access memory of its own N times; `work switches N` makes each of two threads yield N times;
 * `work threads N` starts and joins N threads. */
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

static long count;

static void* access_memory(void* unused) {
  volatile long mine = 0;
  for (long i = 0; i < count; i++) mine = i; /* one store a round */
  return unused;
}

static void* give_way(void* unused) {
  for (long i = 0; i < count; i++) sched_yield();
  return unused;
}

static void* nothing(void* unused) { return unused; }

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  count = atol(argv[2]);
  void* (*body)(void*) = !strcmp(argv[1], "events")     ? access_memory
                         : !strcmp(argv[1], "switches") ? give_way
                                                        : nothing;
  long threads = body == nothing ? count : 2;
  pthread_t* handle = malloc(sizeof *handle * (unsigned long)threads);
  for (long i = 0; i < threads; i++) pthread_create(&handle[i], 0, body, 0);
  for (long i = 0; i < threads; i++) pthread_join(handle[i], 0);
  free(handle);
  return 0;
}
