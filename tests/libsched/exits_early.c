/* The main thread ends the process without joining the other one. */
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>
static volatile int x, y;
static void* a(void* u) {
  x = 1;
  y = x + 1;
  if (y == 7) abort();
  return u;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, a, 0);
  x = 5;
  int s = y;
  if (s == 6) return 3;
  return 0;
}
