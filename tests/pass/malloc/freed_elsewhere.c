// A list of blocks allocated by one thread and freed by another.
#include "program.h"

struct node {
  struct node* next;
  int value;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct node* head;
static int sum;

static void* produce(void* unused) {
  for (int i = 1; i <= 4; i++) {
    struct node* n = malloc(sizeof *n);
    n->value = i;
    pthread_mutex_lock(&lock);
    n->next = head;
    head = n;
    pthread_mutex_unlock(&lock);
  }
  return unused;
}

static void drain(void) {
  pthread_mutex_lock(&lock);
  struct node* n = head;
  head = NULL;
  pthread_mutex_unlock(&lock);
  while (n) {
    struct node* next = n->next;
    __atomic_fetch_add(&sum, n->value, __ATOMIC_SEQ_CST);
    free(n);
    n = next;
  }
}

static void* consume(void* unused) {
  for (int i = 0; i < 3; i++) drain();
  return unused;
}

int main(void) {
  pthread_t a = start(produce), b = start(consume), c = start(produce);
  finish(a);
  finish(b);
  finish(c);
  drain();
  assert(sum == 20);
  return 0;
}
