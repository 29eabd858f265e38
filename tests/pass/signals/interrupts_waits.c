// A handler that runs in a waiting thread ends the wait where the rules say so.
#define _GNU_SOURCE
#include <poll.h>
#include <semaphore.h>
#include <signal.h>
#include <unistd.h>

#include "program.h"

static sem_t never, ready;
static volatile sig_atomic_t handled;
static pthread_t self;

static void handle(int number, siginfo_t* info, void* context) {
  assert(number == SIGUSR1 && info->si_signo == SIGUSR1 && context != NULL);
  assert(pthread_equal(pthread_self(), self));
  handled++;
}

static void* wait_here(void* unused) {
  int ends[2];
  char byte;
  assert(pipe(ends) == 0);
  sem_post(&ready);
  // The signal may come before the wait does: then only the next one ends it.
  while (handled < 1) sem_wait(&never);
  while (handled < 2) sleep(1);
  while (handled < 3) poll(NULL, 0, 1000);
  struct pollfd p = {ends[0], POLLIN, 0};
  while (handled < 4) assert(poll(&p, 1, -1) == -1 && errno == EINTR);
  while (handled < 5) assert(read(ends[0], &byte, 1) == -1 && errno == EINTR);
  return unused;
}

static void* hurry(void* stop) {
  while (!*(volatile int*)stop) {
    pthread_kill(self, SIGUSR1);
    sleep(10);
  }
  return NULL;
}

int main(void) {
  struct sigaction action = {.sa_sigaction = handle, .sa_flags = SA_SIGINFO};
  assert(sigaction(SIGUSR1, &action, NULL) == 0);
  sem_init(&never, 0, 0);
  sem_init(&ready, 0, 0);
  self = start(wait_here);
  sem_wait(&ready);
  static volatile int stop;
  pthread_t other = start_with(hurry, (void*)&stop);
  finish(self);
  stop = 1;
  finish(other);
  return 0;
}
