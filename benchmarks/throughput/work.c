/* Work of a known amount for scripts/bench throughput: `work events N` makes each of two threads
 * access memory of its own N times; `work decisions N` lets them change one shared word N times;
 * `work threads N` starts and joins N threads; `work crowd N` lets N threads, all alive at once,
 * change one shared word ROUNDS times each; `work queue N` lets them do it under one lock; `work
 * waiting N` lets them wait at a condition variable while two others change the word CHANGES times
 * in all; `work pipes N` makes each of two threads write to a pipe of its own and read from it N
 * times; `work blocks N` lets each allocate and free N small blocks; `work heap N` is events, with
 * memory of the heap. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ROUNDS 10
#define CHANGES 100000

static long count;
static volatile long shared_word;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t done = PTHREAD_COND_INITIALIZER;
static int is_done;

static void* access_memory(void* unused) {
  volatile long mine = 0;
  for (long i = 0; i < count; i++) mine = i; /* one store a round */
  return unused;
}

static void* change_in_turn(void* unused) {
  for (long i = 0; i < count; i++) shared_word = i;
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

static void* use_pipe(void* unused) {
  int ends[2];
  char bytes[8] = {0};
  if (pipe(ends) != 0) return unused;
  for (long i = 0; i < count; i++) {
    if (write(ends[1], bytes, sizeof bytes) < 0 || read(ends[0], bytes, sizeof bytes) < 0) break;
  }
  return unused;
}

static void* use_blocks(void* unused) {
  for (long i = 0; i < count; i++) {
    char* volatile block = malloc((size_t)(16 + i % 240));
    free(block);
  }
  return unused;
}

static void* access_heap(void* unused) {
  volatile long* mine = malloc(sizeof *mine);
  for (long i = 0; i < count; i++) *mine = i; /* one store a round */
  free((void*)mine);
  return unused;
}

static void* wait_till_done(void* unused) {
  pthread_mutex_lock(&lock);
  while (!is_done) pthread_cond_wait(&done, &lock);
  pthread_mutex_unlock(&lock);
  return unused;
}

static void* change_often(void* unused) {
  for (int i = 0; i < CHANGES / 2; i++) shared_word = i;
  return unused;
}

static void work_beside_the_waiting(void) {
  pthread_t busy[2];
  for (int i = 0; i < 2; i++) pthread_create(&busy[i], 0, change_often, 0);
  for (int i = 0; i < 2; i++) pthread_join(busy[i], 0);
  pthread_mutex_lock(&lock);
  is_done = 1;
  pthread_cond_broadcast(&done);
  pthread_mutex_unlock(&lock);
}

static const struct {
  const char* name;
  void* (*body)(void*);
  int many; /* N counts threads, not rounds */
} kinds[] = {
    {"events", access_memory, 0}, {"decisions", change_in_turn, 0}, {"threads", nothing, 1},
    {"crowd", change_shared, 1},  {"queue", change_locked, 1},      {"waiting", wait_till_done, 1},
    {"pipes", use_pipe, 0},       {"blocks", use_blocks, 0},        {"heap", access_heap, 0}};

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  count = atol(argv[2]);
  unsigned kind = 0;
  while (kind < sizeof kinds / sizeof *kinds && strcmp(argv[1], kinds[kind].name) != 0) kind++;
  if (kind == sizeof kinds / sizeof *kinds) return 2;
  long threads = kinds[kind].many ? count : 2;
  pthread_t* handle = malloc(sizeof *handle * (unsigned long)threads);
  for (long i = 0; i < threads; i++) pthread_create(&handle[i], 0, kinds[kind].body, 0);
  if (kinds[kind].body == wait_till_done) work_beside_the_waiting();
  for (long i = 0; i < threads; i++) pthread_join(handle[i], 0);
  free(handle);
  return 0;
}
