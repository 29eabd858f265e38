// Primitives in memory that is shared with a child process: whoever waits for the child is not in a
// deadlock.
#define _GNU_SOURCE
#include <semaphore.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "program.h"

struct Shared {
  pthread_mutex_t lock;
  pthread_cond_t changed;
  sem_t semaphore;
  int turn, count;
};

static struct Shared* shared;

static void take_turns(int me) {
  for (int i = 0; i < 3; i++) {
    pthread_mutex_lock(&shared->lock);
    while (shared->turn != me) {
      pthread_cond_wait(&shared->changed, &shared->lock);
    }
    shared->count++;
    shared->turn = 1 - me;
    pthread_cond_broadcast(&shared->changed);
    pthread_mutex_unlock(&shared->lock);
  }
}

static void* bystander(void* unused) {
  sem_wait(&shared->semaphore);
  return unused;
}

int main(void) {
  shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  pthread_mutexattr_t mutex;
  pthread_condattr_t condition;
  pthread_mutexattr_init(&mutex);
  pthread_condattr_init(&condition);
  pthread_mutexattr_setpshared(&mutex, PTHREAD_PROCESS_SHARED);
  pthread_condattr_setpshared(&condition, PTHREAD_PROCESS_SHARED);
  pthread_mutex_init(&shared->lock, &mutex);
  pthread_cond_init(&shared->changed, &condition);
  sem_init(&shared->semaphore, 1, 0);
  pthread_t thread = start(bystander);
  pid_t child = fork();
  if (child == 0) {
    take_turns(1);
    sem_post(&shared->semaphore);
    _exit(0);
  }
  take_turns(0);
  finish(thread);
  int status = 1;
  assert(waitpid(child, &status, 0) == child && status == 0);
  assert(shared->count == 6);
  return 0;
}
