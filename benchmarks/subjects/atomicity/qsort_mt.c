// A parallel quicksort: workers take ranges from a pool, partition them, give one half back and go
// on with the other. A counter of unfinished ranges says when all is sorted, but a worker that
// gives a half away counts it only after it has put it into the pool. The bug: another worker takes
// and finishes that half first, the counter touches zero, and the pool is closed while ranges are
// unsorted. The other worker has to sort its whole range between two adjacent steps of the first:
// none of 135 random walks (measured).
#include <assert.h>
#include <pthread.h>

#ifndef LENGTH
#define LENGTH 24
#endif
enum { WORKERS = 3, POOL = LENGTH, SMALL = 4 };

struct range {
  int from, to;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static struct range pool[POOL];
static volatile int pooled, unfinished, closed;
static volatile int data[LENGTH];

static void put(struct range r) {
  pthread_mutex_lock(&lock);
  pool[pooled] = r;
  pooled = pooled + 1;
  pthread_cond_signal(&changed);
  pthread_mutex_unlock(&lock);
}

static int take(struct range* r) {
  pthread_mutex_lock(&lock);
  while (pooled == 0 && !closed) pthread_cond_wait(&changed, &lock);
  int found = !closed && pooled > 0;
  if (found) {
    pooled = pooled - 1;
    *r = pool[pooled];
  }
  pthread_mutex_unlock(&lock);
  return found;
}

static void count(int change) {
  pthread_mutex_lock(&lock);
  unfinished = unfinished + change;
  if (unfinished == 0) {
    closed = 1;
    pthread_cond_broadcast(&changed);
  }
  pthread_mutex_unlock(&lock);
}

static void swap(int i, int j) {
  int t = data[i];
  data[i] = data[j];
  data[j] = t;
}

static void insertion_sort(struct range r) {
  for (int i = r.from + 1; i < r.to; i++)
    for (int j = i; j > r.from && data[j - 1] > data[j]; j--) swap(j - 1, j);
}

static int partition(struct range r) {
  int pivot = data[r.to - 1], at = r.from;
  for (int i = r.from; i < r.to - 1; i++)
    if (data[i] < pivot) swap(i, at++);
  swap(at, r.to - 1);
  return at;
}

static void* sort(void* unused) {
  struct range r;
  while (take(&r)) {
    while (r.to - r.from > SMALL) {
      int at = partition(r);
      put((struct range){at + 1, r.to});
      count(+1);
      r.to = at;
    }
    insertion_sort(r);
    count(-1);
  }
  return unused;
}

int main(void) {
  pthread_t workers[WORKERS];
  unsigned seed = 7;
  for (int i = 0; i < LENGTH; i++)
    data[i] = (int)((seed = seed * 1103515245u + 12345u) >> 16) % 100;
  unfinished = 1;
  put((struct range){0, LENGTH});
  for (int i = 0; i < WORKERS; i++) pthread_create(&workers[i], 0, sort, 0);
  for (int i = 0; i < WORKERS; i++) pthread_join(workers[i], 0);
  for (int i = 1; i < LENGTH; i++) assert(data[i - 1] <= data[i]);
  return 0;
}
