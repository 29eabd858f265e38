// Reading a key checks that it is valid, then takes the lock and reads the payload. Revoking a key
// takes the lock and drops the payload. The bug: the revocation happens between the check and the
// lock; the payload is gone: 1 random walk in 2 (computed).
#include <pthread.h>
#include <stdlib.h>

struct key {
  pthread_mutex_t lock;
  volatile int revoked;
  int* volatile payload;
};

static struct key key = {.lock = PTHREAD_MUTEX_INITIALIZER};
static volatile int copied;

static void* read_key(void* unused) {
  if (key.revoked) return unused;
  pthread_mutex_lock(&key.lock);
  copied = *(volatile int*)key.payload;
  pthread_mutex_unlock(&key.lock);
  return unused;
}

static void* revoke_key(void* unused) {
  pthread_mutex_lock(&key.lock);
  key.revoked = 1;
  int* old = key.payload;
  key.payload = NULL;
  pthread_mutex_unlock(&key.lock);
  free(old);
  return unused;
}

int main(void) {
  pthread_t a, b;
  key.payload = calloc(1, sizeof(int));
  pthread_create(&a, 0, revoke_key, 0);
  pthread_create(&b, 0, read_key, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  return 0;
}
