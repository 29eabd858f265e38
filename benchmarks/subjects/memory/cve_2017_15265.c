// Creating a sequencer port puts it on the client's list and only then gives it its name; deleting
// a port takes it off the list and frees it. The bug: the delete comes between, and the creator
// writes through a destroyed port. The delete finds the port only if it looks at a number that the
// creator has just published, so its whole run must fit between two adjacent steps of the creator:
// 1 of 202 random walks (measured).
#include <pthread.h>
#include <stdlib.h>

struct port {
  char* volatile name;
  volatile int number;
};

static pthread_mutex_t ports_lock = PTHREAD_MUTEX_INITIALIZER;
static struct port* volatile list[4];
static volatile int ports, closing;

static void* create_port(void* unused) {
  struct port* p = malloc(sizeof *p);
  p->name = calloc(8, 1);
  pthread_mutex_lock(&ports_lock);
  p->number = ports;
  list[ports] = p;
  ports = ports + 1;
  pthread_mutex_unlock(&ports_lock);
  for (int i = 0; i < 2; i++) ((volatile char*)p->name)[i] = 'p';
  return unused;
}

static void* delete_port(void* unused) {
  closing = 1;
  pthread_mutex_lock(&ports_lock);
  struct port* p = NULL;
  if (ports > 0) {
    p = list[ports - 1];
    ports = ports - 1;
  }
  pthread_mutex_unlock(&ports_lock);
  if (!p) return unused;
  char* name = p->name;
  p->name = NULL;  // destroyed; kept mapped so that the finding does not depend on the allocator
  free(name);
  return unused;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&b, 0, delete_port, 0);
  pthread_create(&a, 0, create_port, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  return 0;
}
