// Blocks that grow keep what is in them, locks included, and give up what they were.
#include <malloc.h>
#include <string.h>

#include "program.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int* numbers;
static int count;

static void* append(void* unused) {
  for (int i = 0; i < 5; i++) {
    pthread_mutex_lock(&lock);
    numbers = reallocarray(numbers, (size_t)count + 1, sizeof *numbers);
    numbers[count] = count;
    count++;
    pthread_mutex_unlock(&lock);
  }
  return unused;
}

struct Locked {
  pthread_mutex_t mutex;
  char rest[];
};

static struct Locked* locked;

static void* waits(void* unused) {
  pthread_mutex_lock(&locked->mutex);
  locked->rest[0]++;
  pthread_mutex_unlock(&locked->mutex);
  return unused;
}

int main(void) {
  pthread_t a = start(append), b = start(append);
  finish(a);
  finish(b);
  for (int i = 0; i < 10; i++) {
    assert(numbers[i] == i);
  }
  free(numbers);

  // A block that has room to grow stays where it is, and so does the lock that is held in it.
  locked = malloc(sizeof *locked + 100);
  pthread_mutex_init(&locked->mutex, NULL);
  locked->rest[0] = 1;
  size_t room = malloc_usable_size(locked);
  pthread_mutex_lock(&locked->mutex);
  a = start(waits);
  struct Locked* grown = realloc(locked, room);
  locked = grown;
  assert(locked->rest[0] == 1);
  pthread_mutex_unlock(&locked->mutex);
  finish(a);
  assert(locked->rest[0] == 2);
  free(locked);

  void* aligned = NULL;
  assert(posix_memalign(&aligned, 256, 1000) == 0 && (size_t)aligned % 256 == 0);
  aligned = realloc(aligned, 5000);
  free(aligned);
  void* volatile small = malloc(10);  // volatile: clang would leave both calls out
  assert(realloc(small, 0) == NULL);
  return 0;
}
