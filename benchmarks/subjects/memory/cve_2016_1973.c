// A reference-counted singleton: the last release destroys the instance after it has dropped the
// lock, a new acquire may already have been given the same instance. The bug: the acquire comes
// between the count reaching zero and the pointer being cleared, and the user follows a poisoned
// vtable: 7 of 179 random walks (measured).
#include <pthread.h>
#include <stdlib.h>

struct instance {
  void (*volatile work)(void);
  volatile int references;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct instance* volatile singleton;
static volatile int worked;

static void work(void) { worked = worked + 1; }

static struct instance* acquire(void) {
  pthread_mutex_lock(&lock);
  if (!singleton) {
    struct instance* fresh = malloc(sizeof *fresh);
    fresh->work = work;
    fresh->references = 0;
    singleton = fresh;
  }
  struct instance* it = singleton;
  it->references = it->references + 1;
  pthread_mutex_unlock(&lock);
  return it;
}

static void release(struct instance* it) {
  pthread_mutex_lock(&lock);
  it->references = it->references - 1;
  int last = it->references == 0;
  pthread_mutex_unlock(&lock);
  if (!last) return;
  it->work = NULL;  // destroyed
  pthread_mutex_lock(&lock);
  if (singleton == it) singleton = NULL;
  pthread_mutex_unlock(&lock);
}

static void* use(void* unused) {
  struct instance* it = acquire();
  it->work();
  release(it);
  return unused;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, use, 0);
  pthread_create(&b, 0, use, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  return 0;
}
