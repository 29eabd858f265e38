/* A fuzz target whose whole input is a schedule: two threads add to a number, and an addition may be lost. */
#include <assert.h>
#include <pthread.h>
#include <rff/harness.h>

static int number;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void* add(void* unused) {
  for (int i = 0; i < 3; ++i) {
    pthread_mutex_lock(&lock);
    int before = number;
    pthread_mutex_unlock(&lock);
    pthread_mutex_lock(&lock);
    number = before + 1;
    pthread_mutex_unlock(&lock);
  }
  return unused;
}

static int body(void* unused) {
  pthread_t threads[2];
  (void)unused;
  number = 0;
  for (int i = 0; i < 2; ++i) {
    pthread_create(&threads[i], 0, add, 0);
  }
  for (int i = 0; i < 2; ++i) {
    pthread_join(threads[i], 0);
  }
  assert(number > 3); /* the bug needs three lost additions */
  return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  rff_schedule schedule = rff_schedule_from_bytes(&data, &size, RFF_ALL);
  return rff_run(&schedule, body, 0);
}
