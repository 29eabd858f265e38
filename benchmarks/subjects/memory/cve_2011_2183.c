// A memory scanner keeps a cursor into a list of address spaces. A process that exits removes its
// entry and moves the cursor on only if it points to that entry. The bug: the scanner has seen "not
// empty", the only entry goes away, and the scanner takes the list head itself for an entry and
// follows its null contents. One preemption after the emptiness test: 48 of 135 random walks
// (measured).
#include <pthread.h>
#include <stdlib.h>

struct slot {
  struct slot* volatile next;
  int* volatile pages;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct slot head = {&head, NULL};
static volatile int scanned;

static void* scan(void* unused) {
  if (head.next == &head) return unused;
  pthread_mutex_lock(&lock);
  struct slot* cursor = head.next;
  pthread_mutex_unlock(&lock);
  scanned = scanned + *(volatile int*)cursor->pages;
  return unused;
}

static void* process_exit(void* unused) {
  pthread_mutex_lock(&lock);
  head.next = &head;
  pthread_mutex_unlock(&lock);
  return unused;
}

int main(void) {
  static int pages = 4;
  static struct slot entry;
  pthread_t a, b;
  entry.next = &head;
  entry.pages = &pages;
  head.next = &entry;
  pthread_create(&a, 0, scan, 0);
  pthread_create(&b, 0, process_exit, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  return 0;
}
