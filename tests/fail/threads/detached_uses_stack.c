// A detached thread uses a structure in the frame of its creator, which wipes it when it leaves
// without waiting.
#include "program.h"

struct job {
  int* volatile data;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile int finished;

static void* work(void* arg) {
  struct job* job = arg;
  pthread_mutex_lock(&lock);
  *(volatile int*)job->data = 1;
  finished = 1;
  pthread_mutex_unlock(&lock);
  return NULL;
}

int main(void) {
  static int data;
  struct job job = {&data};
  pthread_detach(start_with(work, &job));
  pthread_mutex_lock(&lock);
  pthread_mutex_unlock(&lock);
  job.data = NULL;
  struct timespec moment = {0, 1000000};
  while (!finished) nanosleep(&moment, NULL);
  return 0;
}
