// A compressor's main thread tears its work queue down as soon as the producer is done, although
// the consumers still use the queue's lock and condition. The bug: main clears the queue before a
// consumer has taken its last look at it, and the consumer follows a null pointer. Main must get
// through its tear-down while a consumer is between two looks: 30 of 120 random walks (measured).
#include <pthread.h>
#include <stdlib.h>

enum { BLOCKS = 4, CONSUMERS = 2 };

struct queue {
  pthread_mutex_t* volatile mutex;
  volatile int size, finished;
};

static struct queue* volatile fifo;

static void* produce(void* unused) {
  for (int i = 0; i < BLOCKS; i++) {
    pthread_mutex_lock(fifo->mutex);
    fifo->size = fifo->size + 1;
    pthread_mutex_unlock(fifo->mutex);
  }
  fifo->finished = 1;
  return unused;
}

static void* consume(void* unused) {
  for (int idle = 0; idle < 3;) {
    struct queue* q = fifo;
    if (!q) return unused;
    pthread_mutex_t* m = q->mutex;
    *(volatile char*)m;  // the original dereferences the lock outside any protection, too
    pthread_mutex_lock(m);
    if (q->size > 0)
      q->size = q->size - 1;
    else
      idle++;
    pthread_mutex_unlock(m);
  }
  return unused;
}

int main(void) {
  pthread_t producer, consumers[CONSUMERS];
  static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  static struct queue q;
  q.mutex = &mutex;
  fifo = &q;
  pthread_create(&producer, 0, produce, 0);
  for (int i = 0; i < CONSUMERS; i++) pthread_create(&consumers[i], 0, consume, 0);
  pthread_join(producer, 0);
  q.mutex = 0;
  fifo = 0;
  for (int i = 0; i < CONSUMERS; i++) pthread_join(consumers[i], 0);
  return 0;
}
