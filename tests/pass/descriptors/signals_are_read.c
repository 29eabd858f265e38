// Signals that are read from a descriptor: those that count are counted, one that was pending before
// is there, timers send them in virtual time, and they tell who sent them.
#define _GNU_SOURCE
#include <poll.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "program.h"

static int result;

static void* work(void* value) {
  __atomic_fetch_add(&result, 1, __ATOMIC_RELAXED);
  union sigval v = {.sival_ptr = value};
  assert(sigqueue(getpid(), SIGRTMIN, v) == 0);
  return NULL;
}

int main(void) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGRTMIN);
  sigaddset(&set, SIGALRM);
  sigaddset(&set, SIGUSR1);
  pthread_sigmask(SIG_BLOCK, &set, NULL);
  assert(kill(getpid(), SIGUSR1) == 0);
  int fd = signalfd(-1, &set, SFD_NONBLOCK);
  struct signalfd_siginfo info[3];
  assert(read(fd, info, sizeof info) == sizeof *info);
  assert(info[0].ssi_signo == SIGUSR1 && info[0].ssi_pid == (uint32_t)getpid());
  assert(read(fd, info, sizeof info) == -1 && errno == EAGAIN);

  pthread_t one = start_with(work, (void*)1);
  pthread_t other = start_with(work, (void*)2);
  int loop = epoll_create1(0);
  struct epoll_event event = {.events = EPOLLIN};
  assert(epoll_ctl(loop, EPOLL_CTL_ADD, fd, &event) == 0);
  uint64_t sum = 0;
  for (int got = 0; got < 2;) {
    assert(epoll_wait(loop, &event, 1, -1) == 1);
    ssize_t bytes = read(fd, info, sizeof info);
    assert(bytes > 0);
    for (int i = 0; i < (int)(bytes / (ssize_t)sizeof *info); i++, got++) {
      assert(info[i].ssi_signo == (uint32_t)SIGRTMIN && info[i].ssi_code == SI_QUEUE);
      sum += info[i].ssi_ptr;
    }
    assert(__atomic_load_n(&result, __ATOMIC_RELAXED) >= got);
  }
  assert(sum == 3);
  finish(one);
  finish(other);

  alarm(5);
  struct pollfd p = {fd, POLLIN, 0};
  assert(poll(&p, 1, 1000) == 0);
  assert(poll(&p, 1, 10000) == 1);
  assert(read(fd, info, sizeof info) == sizeof *info && info[0].ssi_signo == SIGALRM);
  assert(write(fd, info, sizeof *info) == -1 && errno == EINVAL);
  return 0;
}
