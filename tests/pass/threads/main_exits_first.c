// main leaves by pthread_exit; the process ends with status 0 when the last thread has ended.
#include "program.h"

static pthread_t main_thread;
static int value;

static void* outlive(void* unused) {
  pthread_join(main_thread, NULL);
  assert(value == 1);
  return unused;
}

int main(void) {
  main_thread = pthread_self();
  start(outlive);
  value = 1;
  pthread_exit(NULL);
}
