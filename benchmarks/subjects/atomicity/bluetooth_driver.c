// A driver counts its pending requests; the thread that stops it sets a flag, gives up its own
// count and marks the driver stopped when the count is zero. The bug: a request passes the flag
// check, the whole stop happens, and only then does the request count itself and use the stopped
// driver. One preemption at one exact place: 1 random walk in 15 (computed, both threads started).
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t drained = PTHREAD_COND_INITIALIZER;
static volatile int pending = 1, stopping, stopping_event, stopped;

static int enter(void) {
  if (stopping) return 0;
  pthread_mutex_lock(&lock);
  pending = pending + 1;
  pthread_mutex_unlock(&lock);
  return 1;
}

static void leave(void) {
  pthread_mutex_lock(&lock);
  pending = pending - 1;
  if (pending == 0) {
    stopping_event = 1;
    pthread_cond_signal(&drained);
  }
  pthread_mutex_unlock(&lock);
}

static void* request(void* unused) {
  if (enter()) {
    assert(!stopped);
    leave();
  }
  return unused;
}

static void* stop(void* unused) {
  stopping = 1;
  leave();
  pthread_mutex_lock(&lock);
  while (!stopping_event) pthread_cond_wait(&drained, &lock);
  pthread_mutex_unlock(&lock);
  stopped = 1;
  return unused;
}

int main(void) {
  pthread_t stopper;
  pthread_create(&stopper, 0, stop, 0);
  request(0);
  pthread_join(stopper, 0);
  return 0;
}
