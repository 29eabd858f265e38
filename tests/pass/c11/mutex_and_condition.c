// C11 threads: plain and recursive mutexes, a condition, results through join.
#include <assert.h>
#include <threads.h>

static mtx_t lock, nested;
static cnd_t changed;
static int ready, counter;

static int wait_for_it(void* arg) {
  mtx_lock(&lock);
  while (!ready) cnd_wait(&changed, &lock);
  mtx_unlock(&lock);
  mtx_lock(&nested);
  mtx_lock(&nested);
  counter++;
  mtx_unlock(&nested);
  mtx_unlock(&nested);
  return *(int*)arg;
}

int main(void) {
  thrd_t a, b;
  int five = 5, six = 6, result;
  assert(mtx_init(&lock, mtx_plain) == thrd_success);
  assert(mtx_init(&nested, mtx_plain | mtx_recursive) == thrd_success);
  assert(cnd_init(&changed) == thrd_success);
  assert(thrd_create(&a, wait_for_it, &five) == thrd_success);
  assert(thrd_create(&b, wait_for_it, &six) == thrd_success);
  mtx_lock(&lock);
  ready = 1;
  cnd_broadcast(&changed);
  mtx_unlock(&lock);
  assert(thrd_join(a, &result) == thrd_success && result == 5);
  assert(thrd_join(b, &result) == thrd_success && result == 6);
  assert(counter == 2);
  mtx_destroy(&lock);
  mtx_destroy(&nested);
  cnd_destroy(&changed);
  return 0;
}
