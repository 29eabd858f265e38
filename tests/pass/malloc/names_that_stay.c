// Threads that allocate, start threads and free each other's blocks, in any order; whatever they
// use is named by who made it where.
#include <string.h>
#include <sys/mman.h>

#include "program.h"

struct Node {
  struct Node* next;
  volatile long value;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct Node* list;

static void push(long value) {
  struct Node* n = malloc(sizeof *n + (size_t)value % 3 * 16);
  n->value = value;
  pthread_mutex_lock(&lock);
  n->next = list;
  list = n;
  pthread_mutex_unlock(&lock);
}

static void pop(void) {
  pthread_mutex_lock(&lock);
  struct Node* n = list;
  if (n != NULL) {
    list = n->next;
  }
  pthread_mutex_unlock(&lock);
  free(n);
}

static void* leaf(void* argument) {
  volatile long on_stack = (long)argument;
  push(on_stack);
  pop();
  push(on_stack + 1);
  return NULL;
}

static void* branch(void* argument) {
  pthread_t a = start_with(leaf, argument), b = start_with(leaf, argument);
  volatile long* mapping =
      mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  mapping[1] = (long)argument;
  push(mapping[1]);
  finish(a);
  finish(b);
  pop();
  munmap((void*)mapping, 4096);
  return NULL;
}

int main(void) {
  pthread_t a = start_with(branch, (void*)10), b = start_with(branch, (void*)20);
  finish(a);
  finish(b);
  while (list != NULL) {
    pop();
  }
  return 0;
}
