// One sender and one receiver over a ring with room for one; each waits for the other. BROKEN: an
// item counts as sent before it is there.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

enum { SIZE = 1, ITEMS = 2 };

static atomic_int slot[SIZE], sent, received;

static void* send(void* unused) {
  for (int i = 0; i < ITEMS; i++) {
    while (i - atomic_load(&received) == SIZE) {
    }
#ifdef BROKEN
    atomic_store(&sent, i + 1);
    atomic_store(&slot[i % SIZE], i + 1);
#else
    atomic_store(&slot[i % SIZE], i + 1);
    atomic_store(&sent, i + 1);
#endif
  }
  return unused;
}

static void* receive(void* unused) {
  for (int i = 0; i < ITEMS; i++) {
    while (atomic_load(&sent) == i) {
    }
    assert(atomic_load(&slot[i % SIZE]) == i + 1);
    atomic_store(&received, i + 1);
  }
  return unused;
}

int main(void) {
  pthread_t sender, receiver;
  pthread_create(&sender, 0, send, 0);
  pthread_create(&receiver, 0, receive, 0);
  pthread_join(sender, 0);
  pthread_join(receiver, 0);
  return 0;
}
