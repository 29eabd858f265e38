// cnd_signal between the test and the wait wakes nobody.
#include <stdatomic.h>
#include <threads.h>

static mtx_t lock;
static cnd_t changed;
static atomic_int ready;

static int wait_for_it(void* unused) {
  (void)unused;
  if (atomic_load(&ready)) return 0;
  mtx_lock(&lock);
  cnd_wait(&changed, &lock);
  mtx_unlock(&lock);
  return 0;
}

int main(void) {
  thrd_t t;
  mtx_init(&lock, mtx_plain);
  cnd_init(&changed);
  thrd_create(&t, wait_for_it, 0);
  atomic_store(&ready, 1);
  cnd_signal(&changed);
  thrd_join(t, 0);
  return 0;
}
