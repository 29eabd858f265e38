// ends_by_signal WAY [NUMBER]: a thread does something that ends the program by a signal, unless
// the signal does nothing by itself. Then the program ends normally.
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#include "program.h"

static const char* way;
static int number;

static int is(const char* name) { return strcmp(way, name) == 0; }

static void queue(long call, long process, long thread) {
  siginfo_t info;
  memset(&info, 0, sizeof info);
  info.si_signo = number;
  info.si_code = SI_QUEUE;
  if (call == SYS_rt_sigqueueinfo) {
    syscall(call, process, number, &info);
  } else {
    syscall(call, process, thread, number, &info);
  }
}

static void system_call(long call, long first, long second) {
  long result;
  __asm__ volatile("syscall"
                   : "=a"(result)
                   : "a"(call), "D"(first), "S"(second)
                   : "rcx", "r11", "memory");
}

static void unblock(void) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, number);
  pthread_sigmask(SIG_BLOCK, &set, NULL);
  raise(number);
  pthread_sigmask(SIG_UNBLOCK, &set, NULL);
}

static void write_into_closed_pipe(void) {
  int ends[2];
  assert(pipe(ends) == 0);
  close(ends[0]);
  assert(write(ends[1], "x", 1) != 1);
}

static void write_too_much(void) {
  struct rlimit limit = {10, 10};
  setrlimit(RLIMIT_FSIZE, &limit);
  int file = open("/tmp", O_TMPFILE | O_RDWR, 0600);
  assert(file >= 0);
  for (int i = 0; i < 10; ++i) {
    assert(write(file, "hello", 5) == 5);
  }
}

static void set_timer(void) {
  struct itimerval soon = {{0, 0}, {0, 1000}};
  setitimer(ITIMER_REAL, &soon, NULL);
  for (;;) {
    pause();
  }
}

static void child_sends(void) {
  if (fork() == 0) {
    kill(getppid(), number);
    _exit(0);
  }
  for (;;) {
    pause();
  }
}

static void* act(void* unused) {
  union sigval value = {0};
  if (is("int3")) {
    __asm__ volatile("int3");
  } else if (is("raise")) {
    raise(number);
  } else if (is("kill")) {
    kill(getpid(), number);
  } else if (is("kill-group")) {
    kill(0, number);
  } else if (is("killpg")) {
    killpg(getpgrp(), number);
  } else if (is("pthread_kill")) {
    pthread_kill(pthread_self(), number);
  } else if (is("tgkill")) {
    tgkill(getpid(), gettid(), number);
  } else if (is("sigqueue")) {
    sigqueue(getpid(), number, value);
  } else if (is("rt_sigqueueinfo")) {
    queue(SYS_rt_sigqueueinfo, getpid(), 0);
  } else if (is("rt_tgsigqueueinfo")) {
    queue(SYS_rt_tgsigqueueinfo, getpid(), gettid());
  } else if (is("system-call")) {
    system_call(SYS_kill, getpid(), number);
  } else if (is("unblock")) {
    unblock();
  } else if (is("pipe")) {
    write_into_closed_pipe();
  } else if (is("file-size")) {
    write_too_much();
  } else if (is("timer")) {
    set_timer();
  } else if (is("child")) {
    child_sends();
  }
  return unused;
}

int main(int count, char** words) {
  way = count > 1 ? words[1] : "";
  number = count > 2 ? atoi(words[2]) : 0;
  finish(start(act));
  return 0;
}
