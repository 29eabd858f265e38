// A pipeline that finds equal chunks: main cuts the input into chunks, two threads compute their
// fingerprints and look them up, one compresses those that are new, one collects the output.
// Between the stages lie three bounded queues.
#include "compute.h"

enum { HASHERS = 2, CHUNKS = 30, CONTENTS = 12, CAPACITY = 2, CHUNK = 512, SALTS = 16 };

typedef struct {
  pthread_mutex_t lock;
  pthread_cond_t changed;
  volatile int item[CAPACITY];
  volatile int first, count;
  volatile int producers;  // those that have not finished
} Queue;

#define QUEUE(producers) \
  { PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, {0}, 0, 0, producers }
static Queue chunks = QUEUE(1), hashed = QUEUE(HASHERS), output = QUEUE(1);

static int rounds;
static uint64_t fingerprint[CHUNKS];
static int is_new[CHUNKS];
static pthread_mutex_t store_lock = PTHREAD_MUTEX_INITIALIZER;
static volatile uint64_t stored[CHUNKS];  // fingerprints of new chunks
static volatile int owner[CHUNKS];        // their chunks, plus one
static volatile int stored_count, bytes;
static volatile int salt[SALTS];
static uint64_t result;

static void push(Queue* queue, int item) {
  pthread_mutex_lock(&queue->lock);
  while (queue->count == CAPACITY) pthread_cond_wait(&queue->changed, &queue->lock);
#if BUG == 3
  // Three orderings: the queue has one free place (its consumer has not come), and of two producers
  // each tests for it before the other has filled it.
  pthread_mutex_unlock(&queue->lock);
  pthread_mutex_lock(&queue->lock);
  if (queue->count == CAPACITY) fail(3);
#endif
  queue->item[(queue->first + queue->count) % CAPACITY] = item;
  queue->count = queue->count + 1;
  pthread_cond_broadcast(&queue->changed);
  pthread_mutex_unlock(&queue->lock);
}

// The next item, or -1 when there will be none.
static int pop(Queue* queue) {
  int item = -1;
  pthread_mutex_lock(&queue->lock);
  while (queue->count == 0 && queue->producers > 0)
    pthread_cond_wait(&queue->changed, &queue->lock);
  if (queue->count > 0) {
    item = queue->item[queue->first];
    queue->first = (queue->first + 1) % CAPACITY;
    queue->count = queue->count - 1;
    pthread_cond_broadcast(&queue->changed);
  }
  pthread_mutex_unlock(&queue->lock);
  return item;
}

static void finish(Queue* queue) {
  pthread_mutex_lock(&queue->lock);
  queue->producers = queue->producers - 1;
  pthread_cond_broadcast(&queue->changed);
  pthread_mutex_unlock(&queue->lock);
}

static uint64_t mix(uint64_t seed, int count) {
  while (count-- > 0) next_random(&seed);
  return seed;
}

// Every third content comes twice in a row.
static uint64_t content(int chunk) { return 11 + (uint64_t)(chunk - (chunk % 3 == 1)) % CONTENTS; }

static int find(uint64_t value) {
  int i = 0;
  while (i < stored_count && stored[i] != value) i++;
  return i;
}

// Whether the chunk is the first with its fingerprint.
static int store(int chunk) {
#if BUG == 2
  // Two orderings: another thread counts a chunk between this read and this write.
  bytes = bytes + CHUNK;
#endif
  pthread_mutex_lock(&store_lock);
  if (BUG != 2) bytes = bytes + CHUNK;
  int i = find(fingerprint[chunk]), found = i < stored_count;
#if BUG == 4
  // Two orderings: another thread stores the same fingerprint after this search found none.
  pthread_mutex_unlock(&store_lock);
  pthread_mutex_lock(&store_lock);
  if (!found && find(fingerprint[chunk]) < stored_count) fail(4);
  i = found ? i : stored_count;
#endif
  if (!found) {
    stored[i] = fingerprint[chunk];
    stored_count = i + 1;
#if BUG == 5
    // Two orderings: another thread finds the fingerprint, and reads its owner before it is stored.
    pthread_mutex_unlock(&store_lock);
    pthread_mutex_lock(&store_lock);
#endif
    owner[i] = chunk + 1;
  }
  if (owner[i] == 0) fail(BUG);
  pthread_mutex_unlock(&store_lock);
  return !found;
}

// The second thread also makes the salts of the archive, at once.
static void* hash(void* self) {
  for (int i = 0; self && i < SALTS; i++) salt[i] = 1;
  for (int chunk; (chunk = pop(&chunks)) >= 0; push(&hashed, chunk)) {
    fingerprint[chunk] = mix(content(chunk), rounds);
    is_new[chunk] = store(chunk);
  }
  finish(&hashed);
  return NULL;
}

static void* compress(void* unused) {
  for (int chunk; (chunk = pop(&hashed)) >= 0; push(&output, chunk)) {
    if (is_new[chunk]) fingerprint[chunk] = mix(fingerprint[chunk], rounds);
#if BUG == 1
    // One ordering: the last chunk is here before the second thread has made the salts.
    if (chunk == CHUNKS - 1 && !salt[SALTS - 1]) fail(1);
#endif
  }
  finish(&output);
  return unused;
}

static void* collect(void* unused) {
  for (int chunk; (chunk = pop(&output)) >= 0;)
    if (is_new[chunk]) result += fingerprint[chunk];
  return unused;
}

int main(int argc, char** argv) {
  pthread_t threads[HASHERS + 2];
  rounds = scaled(1000000, argc, argv);
  for (int i = 0; i < HASHERS; i++) start(&threads[i], hash, i);
  start(&threads[HASHERS], compress, 0);
  start(&threads[HASHERS + 1], collect, 0);
  for (int i = 0; i < CHUNKS; i++) push(&chunks, i);
  finish(&chunks);
  join_all(threads, HASHERS + 2);

  uint64_t expected = 0;
  int distinct = 0, seen[11 + CONTENTS] = {0};
  for (int i = 0; i < CHUNKS; i++)
    if (seen[content(i)]++ == 0) distinct++, expected += mix(content(i), 2 * rounds);
  if (result != expected || distinct != stored_count || bytes != CHUNKS * CHUNK || !salt[SALTS - 1])
    fail(BUG);
  return 0;
}
