// Asking for a task's I/O priority reads the task's context pointer twice, once to test it and once
// to use it, while the task exits and clears it. The bug is a double fetch: the exit falls between
// the two reads, and the exit path first does some locked work of its own: 1 random walk in 6
// (computed).
#include <pthread.h>
#include <stdlib.h>

struct io_context {
  volatile int priority;
};

static pthread_mutex_t task_lock = PTHREAD_MUTEX_INITIALIZER;
static struct io_context* volatile context;
static volatile int answer, exiting;

static void* get_priority(void* unused) {
  answer = 4;
  if (context) answer = context->priority;
  return unused;
}

static void* task_exit(void* unused) {
  pthread_mutex_lock(&task_lock);
  exiting = 1;
  struct io_context* old = context;
  context = NULL;
  pthread_mutex_unlock(&task_lock);
  free(old);
  return unused;
}

int main(void) {
  pthread_t a, b;
  context = calloc(1, sizeof *context);
  pthread_create(&a, 0, task_exit, 0);
  pthread_create(&b, 0, get_priority, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  return 0;
}
