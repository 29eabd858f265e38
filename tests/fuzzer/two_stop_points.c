/* Two threads that share a buffer and call two functions each. With a failure that needs one order:
 * BROKEN. */
#include <pthread.h>
#include <stdlib.h>

static int buffer[4];
static int count;
int taken;

__attribute__((noinline)) static int compute_data(void) {
  __asm__ volatile("");
  return 7;
}
__attribute__((noinline)) static void add(int value) { buffer[count++] = value; }
__attribute__((noinline)) static int take(void) { return count > 0 ? buffer[--count] : -1; }
__attribute__((noinline)) static void write_line(int value) { taken = value; }

static void* thread1(void* unused) {
  add(compute_data());
  return unused;
}

static void* thread2(void* unused) {
  write_line(take());
  return unused;
}

int main(void) {
  pthread_t first, second;
  pthread_create(&first, NULL, thread1, NULL);
  pthread_create(&second, NULL, thread2, NULL);
  pthread_join(first, NULL);
  pthread_join(second, NULL);
#ifdef BROKEN
  if (taken == 7) {
    abort();
  }
#endif
  return 0;
}
