// C11 call_once, thread-specific storage with a destructor, yield, sleep, exit.
#include <assert.h>
#include <stdatomic.h>
#include <threads.h>
#include <time.h>

static once_flag once = ONCE_FLAG_INIT;
static tss_t key;
static int initialised;
static atomic_int destroyed;

static void initialise(void) { initialised++; }
static void destroy(void* unused) {
  (void)unused;
  atomic_fetch_add(&destroyed, 1);
}

static int work(void* arg) {
  call_once(&once, initialise);
  assert(initialised == 1);
  tss_set(key, arg);
  thrd_yield();
  assert(tss_get(key) == arg);
  struct timespec moment = {0, 1000000};
  assert(thrd_sleep(&moment, NULL) == 0);
  thrd_exit(3);
}

int main(void) {
  thrd_t a, b;
  int result;
  assert(tss_create(&key, destroy) == thrd_success);
  thrd_create(&a, work, &a);
  thrd_create(&b, work, &b);
  assert(!thrd_equal(a, b));
  assert(thrd_join(a, &result) == thrd_success && result == 3);
  assert(thrd_join(b, &result) == thrd_success && result == 3);
  assert(atomic_load(&destroyed) == 2);
  tss_delete(key);
  return 0;
}
