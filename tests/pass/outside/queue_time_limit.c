// A message queue that stays empty: who waits for a message with a time limit gives up in time,
// alone as well as beside another thread.
#include <errno.h>
#include <fcntl.h>
#include <mqueue.h>
#include <stdio.h>
#include <unistd.h>

#include "program.h"

static mqd_t queue;

static void* wait_for_a_message(void* unused) {
  struct timespec until;
  char text[64];
  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_sec += 2;
  assert(mq_timedreceive(queue, text, sizeof text, NULL, &until) == -1 && errno == ETIMEDOUT);
  return unused;
}

int main(void) {
  struct mq_attr attributes = {.mq_maxmsg = 2, .mq_msgsize = 64};
  char name[32];
  snprintf(name, sizeof name, "/rff-limit-%p", (void*)&name);
  queue = mq_open(name, O_CREAT | O_RDWR, 0600, &attributes);
  if (queue == (mqd_t)-1) return 0; /* the system has none */
  mq_unlink(name);
  wait_for_a_message(NULL);
  pthread_t other = start(wait_for_a_message);
  wait_for_a_message(NULL);
  finish(other);
  wait_for_a_message(NULL);
  return 0;
}
