// Workers take an item from the head of a list, change it and put it back at the tail, each
// operation locked on its own. One worker processes "all items" by counting first and then taking
// that many. The bug: the others hold items while it counts or takes, so it counts fewer or
// processes one twice and misses another. It needs a preemption while an item is in somebody's
// hands: 103 of 176 random walks (measured).
#include <assert.h>
#include <pthread.h>

enum { ITEMS = 3, ROUNDS = 2 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile int list[ITEMS] = {0, 1, 2}, length = ITEMS;
static volatile int touched[ITEMS];

static int take(void) {
  pthread_mutex_lock(&lock);
  int item = -1;
  if (length > 0) {
    item = list[0];
    for (int i = 1; i < length; i++) list[i - 1] = list[i];
    length = length - 1;
  }
  pthread_mutex_unlock(&lock);
  return item;
}

static void put(int item) {
  pthread_mutex_lock(&lock);
  list[length] = item;
  length = length + 1;
  pthread_mutex_unlock(&lock);
}

static void* rotate(void* unused) {
  for (int i = 0; i < ROUNDS; i++) {
    int item = take();
    if (item >= 0) put(item);
  }
  return unused;
}

static void* touch_all(void* unused) {
  for (int i = 0; i < ITEMS; i++) {
    int item = take();
    if (item < 0) continue;
    touched[item] = touched[item] + 1;
    put(item);
  }
  return unused;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, touch_all, 0);
  pthread_create(&b, 0, rotate, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  for (int i = 0; i < ITEMS; i++) assert(touched[i] == 1);
  return 0;
}
