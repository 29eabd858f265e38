// A sequence lock with one writer and one reader, which retries while the sequence is odd or has
// changed. BROKEN: an odd sequence is accepted.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int sequence, left, right;

static void* write_pair(void* unused) {
  atomic_fetch_add(&sequence, 1);
  atomic_store(&left, 1);
  atomic_store(&right, -1);
  atomic_fetch_add(&sequence, 1);
  return unused;
}

static int in_order(int before) {
#ifdef BROKEN
  return before == atomic_load(&sequence);
#else
  return before % 2 == 0 && before == atomic_load(&sequence);
#endif
}

static void* read_pair(void* unused) {
  int before, l, r;
  do {
    before = atomic_load(&sequence);
    l = atomic_load(&left);
    r = atomic_load(&right);
  } while (!in_order(before));
  assert(l == -r);
  return unused;
}

int main(void) {
  pthread_t writer, reader;
  pthread_create(&writer, 0, write_pair, 0);
  pthread_create(&reader, 0, read_pair, 0);
  pthread_join(writer, 0);
  pthread_join(reader, 0);
  return 0;
}
