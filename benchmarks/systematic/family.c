/* Programs whose trace classes are known, for scripts/bench systematic: `family KIND N`.
 *
 * readers      one thread writes a word, N read it: 2^N classes
 * last_zero    thread i sets a[i] = a[i-1] + 1, one looks from a[N] down for the first 0: (N+3) *
 * 2^(N-2) increments   N threads read a word and write it: (N!)^2 locked       N threads increment
 * a word under a lock: N! counters     two threads count to N, one reads both counters: (N+1)^2
 * reorder      N threads write a and then b, one reads each once: ((N+1)!)^2
 * philosophers N threads take two of N locks, in a ring: 2^N - 1, one of which is a deadlock */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST 100

static long n;
static struct {
  volatile long word;
  char apart[56];
} cell[MOST + 1];
static pthread_mutex_t lock[MOST];

static void* read_one(void* unused) {
  (void)cell[0].word;
  return unused;
}
static void* write_one(void* unused) {
  cell[0].word = 1;
  return unused;
}
static void* next_of_last_zero(void* number) {
  long i = (long)number;
  cell[i].word = cell[i - 1].word + 1;
  return NULL;
}
static void* find_last_zero(void* unused) {
  for (long i = n; i >= 0 && cell[i].word != 0; --i) {
  }
  return unused;
}
static void* increment(void* unused) {
  long seen = cell[0].word;
  cell[0].word = seen + 1;
  return unused;
}
static void* increment_locked(void* unused) {
  pthread_mutex_lock(&lock[0]);
  long seen = cell[0].word;
  cell[0].word = seen + 1;
  pthread_mutex_unlock(&lock[0]);
  return unused;
}
static void* count(void* number) {
  for (long i = 1; i <= n; ++i) {
    cell[(long)number].word = i;
  }
  return NULL;
}
static void* write_both(void* unused) {
  cell[0].word = 1;
  cell[1].word = -1;
  return unused;
}
static void* read_both(void* unused) {
  (void)cell[0].word;
  (void)cell[1].word;
  return unused;
}
static void* dine(void* number) {
  long left = (long)number;
  long right = (left + 1) % n;
  pthread_mutex_lock(&lock[left]);
  pthread_mutex_lock(&lock[right]);
  pthread_mutex_unlock(&lock[right]);
  pthread_mutex_unlock(&lock[left]);
  return NULL;
}

static pthread_t threads[2 * MOST];
static int started;
static void start(void* (*what)(void*), long number) {
  if (pthread_create(&threads[started++], NULL, what, (void*)number) != 0) {
    abort();
  }
}
static void start_all(void* (*what)(void*), long first) {
  for (long i = first; i < first + n; ++i) {
    start(what, i);
  }
}

int main(int argc, char** argv) {
  n = argc == 3 ? atol(argv[2]) : 0;
  const char* kind = argc == 3 ? argv[1] : "";
  if (n < 1 || n > MOST) {
    fprintf(stderr, "usage: family KIND N, with N from 1 to %d\n", MOST);
    return 2;
  }
  for (int i = 0; i < MOST; ++i) {
    pthread_mutex_init(&lock[i], NULL);
  }
  if (strcmp(kind, "readers") == 0) {
    start(write_one, 0);
    start_all(read_one, 0);
  } else if (strcmp(kind, "last_zero") == 0) {
    start(find_last_zero, 0);
    start_all(next_of_last_zero, 1);
  } else if (strcmp(kind, "increments") == 0) {
    start_all(increment, 0);
  } else if (strcmp(kind, "locked") == 0) {
    start_all(increment_locked, 0);
  } else if (strcmp(kind, "counters") == 0) {
    start(count, 0);
    start(count, 1);
    start(read_both, 0);
  } else if (strcmp(kind, "reorder") == 0) {
    start_all(write_both, 0);
    start(read_both, 0);
  } else if (strcmp(kind, "philosophers") == 0) {
    start_all(dine, 0);
  } else {
    fprintf(stderr, "family: there is no kind '%s'\n", kind);
    return 2;
  }
  for (int i = 0; i < started; ++i) {
    pthread_join(threads[i], NULL);
  }
  return 0;
}
