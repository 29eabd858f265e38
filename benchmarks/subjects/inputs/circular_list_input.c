// Ten increasing items in a list behind a lock. A thread takes the head and appends it plus ten;
// if the input is 130, a second thread does the same. The bug: taking and appending are two
// critical sections, so that the second thread's larger item may be appended first, and the list is
// not increasing any more.
#include <assert.h>
#include <pthread.h>

#include "input.h"

enum { ITEMS = 10, ROOM = 32 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int list[ROOM], head, tail;

static int take(void) { return list[head++ % ROOM]; }
static void append(int item) { list[tail++ % ROOM] = item; }

static void* rotate(void* unused) {
  pthread_mutex_lock(&lock);
  int item = take();
#ifndef RIGHT
  pthread_mutex_unlock(&lock);
  pthread_mutex_lock(&lock);
#endif
  append(item + ITEMS);
  pthread_mutex_unlock(&lock);
  return unused;
}

int main(int argc, char** argv) {
  long wanted = read_number(argc, argv);
  pthread_t first, second;
  for (int i = 1; i <= ITEMS; i++) append(i);
  pthread_create(&first, 0, rotate, 0);
  if (wanted == 130) pthread_create(&second, 0, rotate, 0);
  pthread_join(first, 0);
  if (wanted == 130) pthread_join(second, 0);
  for (int i = head + 1; i < tail; i++) assert(list[(i - 1) % ROOM] < list[i % ROOM]);
  return 0;
}
