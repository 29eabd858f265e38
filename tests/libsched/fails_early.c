/* One thread fails before the other has done what would have saved it. */
#include <assert.h>
#include <pthread.h>
static volatile int x, y, z;
static void* a(void* u) {
  int r = x;
  assert(r == 1);
  z = r;
  return u;
}
static void* b(void* u) {
  y = 1;
  x = 1;
  y = y + 1;
  int q = z;
  (void)q;
  return u;
}
int main(void) {
  pthread_t t, v;
  pthread_create(&t, 0, a, 0);
  pthread_create(&v, 0, b, 0);
  int k = y;
  pthread_join(t, 0);
  pthread_join(v, 0);
  return k > 5;
}
