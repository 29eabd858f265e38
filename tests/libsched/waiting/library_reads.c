// A thread waits for a flag or for a text that only a function of the C library looks at.
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

static atomic_int flag;
static char text[8];

static void* wait_for_it(void* unused) {
  while (!atomic_load(&flag) && strpbrk(text, "xyzg") == NULL) {
  }
  return unused;
}

static void* write_it(void* unused) {
  atomic_store(&flag, 0);
  memcpy(text, "long", 5);
  return unused;
}

int main(void) {
  pthread_t waiter, writer;
  pthread_create(&waiter, 0, wait_for_it, 0);
  pthread_create(&writer, 0, write_it, 0);
  pthread_join(waiter, 0);
  pthread_join(writer, 0);
  return 0;
}
