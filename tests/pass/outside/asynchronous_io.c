// Input that is read beside the program's threads; the thread that is told of it is one of them.
#define _GNU_SOURCE
#include <aio.h>
#include <semaphore.h>
#include <unistd.h>

#include "program.h"

static int ends[2], told;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static sem_t done;

static void* feed(void* unused) {
  assert(write(ends[1], "abcdef", 6) == 6);
  return unused;
}

static void tell(union sigval value) {
  pthread_mutex_lock(&lock);
  told = value.sival_int;
  pthread_mutex_unlock(&lock);
  sem_post(&done);
}

int main(void) {
  assert(pipe(ends) == 0);
  sem_init(&done, 0, 0);
  char text[3];
  struct aiocb request = {.aio_fildes = ends[0], .aio_buf = text, .aio_nbytes = sizeof text};
  const struct aiocb* list[] = {&request};
  request.aio_sigevent.sigev_notify = SIGEV_NONE;
  assert(aio_read(&request) == 0);
  pthread_t thread = start(feed);
  while (aio_error(&request) == EINPROGRESS) aio_suspend(list, 1, NULL);
  assert(aio_return(&request) == 3 && text[2] == 'c');
  request.aio_sigevent.sigev_notify = SIGEV_THREAD;
  request.aio_sigevent.sigev_notify_function = tell;
  request.aio_sigevent.sigev_value.sival_int = 7;
  assert(aio_read(&request) == 0);
  sem_wait(&done);
  assert(told == 7 && aio_error(&request) == 0 && aio_return(&request) == 3 && text[2] == 'f');
  finish(thread);
  return 0;
}
