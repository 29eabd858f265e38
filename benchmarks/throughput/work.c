/* Work of a known amount for scripts/bench throughput: `work events N` makes each of two threads
 * access memory of its own N times; `work switches N` makes each of two threads yield N times;
 * `work threads N` starts and joins N threads; `work crowd N` lets N threads, all alive at once,
 * change one shared word ROUNDS times each; `work queue N` lets them do it under one lock. */
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#define ROUNDS 10

static long count;
static volatile long shared_word;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

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

static void* change_shared(void* unused) {
  for (int i = 0; i < ROUNDS; i++) shared_word = i;
  return unused;
}

static void* change_locked(void* unused) {
  for (int i = 0; i < ROUNDS; i++) {
    pthread_mutex_lock(&lock);
    shared_word++;
    pthread_mutex_unlock(&lock);
  }
  return unused;
}

static const struct {
  const char* name;
  void* (*body)(void*);
  int many; /* N counts threads, not rounds */
} kinds[] = {{"events", access_memory, 0},
             {"switches", give_way, 0},
             {"threads", nothing, 1},
             {"crowd", change_shared, 1},
             {"queue", change_locked, 1}};

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  count = atol(argv[2]);
  unsigned kind = 0;
  while (kind < sizeof kinds / sizeof *kinds && strcmp(argv[1], kinds[kind].name) != 0) kind++;
  if (kind == sizeof kinds / sizeof *kinds) return 2;
  long threads = kinds[kind].many ? count : 2;
  pthread_t* handle = malloc(sizeof *handle * (unsigned long)threads);
  for (long i = 0; i < threads; i++) pthread_create(&handle[i], 0, kinds[kind].body, 0);
  for (long i = 0; i < threads; i++) pthread_join(handle[i], 0);
  free(handle);
  return 0;
}
