// Queues and semaphores of the system: whoever waits does not keep the others from running, and
// time limits end.
#define _GNU_SOURCE
#include <fcntl.h>
#include <mqueue.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <unistd.h>

#include "program.h"

struct Message {
  long type;
  char text[8];
};

static int queue, semaphore;
static mqd_t named;

static void* receive(void* unused) {
  struct Message message;
  struct sembuf down = {0, -1, 0};
  struct timespec second = {1, 0};
  assert(msgrcv(queue, &message, sizeof message.text, 1, 0) == 2 && message.text[0] == 'x');
  assert(semop(semaphore, &down, 1) == 0);
  assert(semtimedop(semaphore, &down, 1, &second) == -1 && errno == EAGAIN);
  assert(semtimedop(semaphore, &down, 1, NULL) == 0);
  return unused;
}

static void* receive_named(void* unused) {
  char text[16];
  for (int i = 0; i < 4; i++) assert(mq_receive(named, text, sizeof text, NULL) == 2);
  struct timespec limit = deadline_in(CLOCK_REALTIME, 1000);
  assert(mq_timedreceive(named, text, sizeof text, NULL, &limit) == -1 && errno == ETIMEDOUT);
  return unused;
}

int main(void) {
  queue = msgget(IPC_PRIVATE, 0600 | IPC_CREAT);
  semaphore = semget(IPC_PRIVATE, 1, 0600 | IPC_CREAT);
  if (queue >= 0 && semaphore >= 0) {
    pthread_t thread = start(receive);
    struct Message message = {1, "x"};
    struct sembuf up = {0, 1, 0};
    assert(msgsnd(queue, &message, 2, 0) == 0);
    assert(semop(semaphore, &up, 1) == 0);
    sleep(5);
    assert(semop(semaphore, &up, 1) == 0);
    finish(thread);
  }
  msgctl(queue, IPC_RMID, NULL);
  semctl(semaphore, 0, IPC_RMID);

  struct mq_attr attributes = {.mq_maxmsg = 1, .mq_msgsize = 16};
  named = mq_open("/rff-test-messages", O_RDWR | O_CREAT, 0600, &attributes);
  mq_unlink("/rff-test-messages");
  if (named != (mqd_t)-1) {
    pthread_t thread = start(receive_named);
    for (int i = 0; i < 4; i++) assert(mq_send(named, "hi", 2, 0) == 0);
    finish(thread);
  }
  return 0;
}
