// C11 timed lock, timed wait and trylock against a lock that main keeps.
#include <assert.h>
#include <threads.h>
#include <time.h>

static mtx_t held;

static struct timespec soon(void) {
  struct timespec t;
  timespec_get(&t, TIME_UTC);
  t.tv_sec += 1;
  return t;
}

static int expire(void* unused) {
  (void)unused;
  struct timespec t = soon();
  assert(mtx_trylock(&held) == thrd_busy);
  assert(mtx_timedlock(&held, &t) == thrd_timedout);
  mtx_t own;
  cnd_t never;
  int result;
  mtx_init(&own, mtx_plain);
  cnd_init(&never);
  mtx_lock(&own);
  t = soon();
  do result = cnd_timedwait(&never, &own, &t);
  while (result == thrd_success);
  assert(result == thrd_timedout);
  mtx_unlock(&own);
  return 0;
}

int main(void) {
  thrd_t t;
  mtx_init(&held, mtx_timed);
  mtx_lock(&held);
  thrd_create(&t, expire, NULL);
  thrd_join(t, NULL);
  mtx_unlock(&held);
  return 0;
}
