// One thread allocates a buffer, another fills it if it is there; main expects it to be filled once
// both have ended. The bug: the filler comes first, finds nothing, and the buffer stays empty. Two
// orders, one of them wrong: 52 of 167 random walks (measured).
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char* volatile buffer;

static void* allocate(void* unused) {
  pthread_mutex_lock(&lock);
  buffer = calloc(8, 1);
  pthread_mutex_unlock(&lock);
  return unused;
}

static void* fill(void* unused) {
  pthread_mutex_lock(&lock);
  if (buffer) strcpy(buffer, "Bigshot");
  pthread_mutex_unlock(&lock);
  return unused;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, allocate, 0);
  pthread_create(&b, 0, fill, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  assert(buffer[0] == 'B');
  return 0;
}
