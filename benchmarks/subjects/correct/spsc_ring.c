// One sender and one receiver over a ring of atomics; the receiver retries a bounded number of
// times and main drains the rest. Correct: the items arrive in order, and a bounded retry is
// neither a hang nor a deadlock.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

enum { SIZE = 4, ITEMS = 4 };

static atomic_int slot[SIZE], sent, received;

static void* send(void* unused) {
  for (int i = 1; i <= ITEMS; i++) {
    int at = atomic_load(&sent);
    atomic_store(&slot[at % SIZE], i);
    atomic_store(&sent, at + 1);
  }
  return unused;
}

static void receive(int tries) {
  while (tries-- > 0) {
    int at = atomic_load(&received);
    if (at == atomic_load(&sent)) continue;
    assert(atomic_load(&slot[at % SIZE]) == at + 1);
    atomic_store(&received, at + 1);
  }
}

static void* receive_some(void* unused) {
  receive(6);
  return unused;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, send, 0);
  pthread_create(&b, 0, receive_some, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  receive(ITEMS);
  assert(atomic_load(&received) == ITEMS);
  return 0;
}
