// With a pipe open, runs cannot begin where the first thread does: the program begins again. It
// finds everything as it was at first, although what it has changed would outlast its process.
#define _GNU_SOURCE
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "program.h"

static void* nothing(void* unused) { return unused; }

static void change_folder(void) {
  char folder[4096];
  assert(getcwd(folder, sizeof folder) != 0);
  assert(folder[1] != 0);
  assert(chdir("/") == 0);
}

static void ignore_and_block(void) {
  assert(signal(SIGHUP, SIG_IGN) == SIG_DFL);
  sigset_t blocked, before;
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGUSR1);
  sigprocmask(SIG_BLOCK, &blocked, &before);
  assert(!sigismember(&before, SIGUSR1));
}

static void lower_limit(void) {
  struct rlimit limit;
  assert(getrlimit(RLIMIT_NOFILE, &limit) == 0);
  assert(limit.rlim_cur > 20);
  limit.rlim_cur = 20;
  assert(setrlimit(RLIMIT_NOFILE, &limit) == 0);
}

static void change_words(char** words) {
  assert(words[0] != 0 && words[0][0] != '?');
  words[0][0] = '?';
}

int main(int count, char** words) {
  assert(count == 1);
  change_words(words);
  change_words(environ);
  change_folder();
  ignore_and_block();
  lower_limit();
  assert(umask(0777) != 0777);
  int ends[2];
  assert(pipe(ends) == 0);
  finish(start(nothing));
  return 0;
}
