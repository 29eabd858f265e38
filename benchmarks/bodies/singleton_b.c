// One thread allocates a letter; three write 'X' to it, one writes 'Y', seven more write 'X'. Threads that come before the allocation do
// nothing. The bug: 'Y' was written last.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

enum { WRITERS = 11, Y_WRITER = 3 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char* letter;

static void* allocate(void* unused) {
  pthread_mutex_lock(&lock);
  letter = calloc(1, 1);
  pthread_mutex_unlock(&lock);
  return unused;
}

static void* set(void* to) {
  pthread_mutex_lock(&lock);
  if (letter) *letter = *(const char*)to;
  pthread_mutex_unlock(&lock);
  return to;
}

int main(void) {
  static char x = 'X', y = 'Y';
  pthread_t allocator, writers[WRITERS];
  pthread_create(&allocator, 0, allocate, 0);
  for (int i = 0; i < WRITERS; i++) pthread_create(&writers[i], 0, set, i == Y_WRITER ? &y : &x);
  pthread_join(allocator, 0);
  for (int i = 0; i < WRITERS; i++) pthread_join(writers[i], 0);
  assert(!letter || *letter != 'Y');
  free(letter);
  return 0;
}
