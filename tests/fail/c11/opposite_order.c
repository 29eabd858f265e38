// Two C11 mutexes in opposite order.
#include <threads.h>

static mtx_t a, b;

static int ab(void* unused) {
  (void)unused;
  mtx_lock(&a);
  mtx_lock(&b);
  mtx_unlock(&b);
  mtx_unlock(&a);
  return 0;
}

static int ba(void* unused) {
  (void)unused;
  mtx_lock(&b);
  mtx_lock(&a);
  mtx_unlock(&a);
  mtx_unlock(&b);
  return 0;
}

int main(void) {
  thrd_t s, t;
  mtx_init(&a, mtx_plain);
  mtx_init(&b, mtx_plain);
  thrd_create(&s, ab, 0);
  thrd_create(&t, ba, 0);
  thrd_join(s, 0);
  thrd_join(t, 0);
  return 0;
}
