// Makes a child that outlives it, in a thread: the child waits until somebody opens the pipe of the
// first name and then says in the other one whether the thread's variables are what they were.
#include <dlfcn.h>
#include <fcntl.h>
#include <unistd.h>

#include "program.h"

static const char* question;
static const char* answer;
static int* (*variable)(void);

static int left[2];  // a pipe: the child is no longer in the run's group of processes

static void live_on(void) {
  char byte = 0;
  setsid();
  assert(write(left[1], &byte, 1) == 1);
  int in = open(question, O_RDONLY);
  int out = open(answer, O_WRONLY);
  assert(read(in, &byte, 1) == 1);
  byte = *variable() == 17 ? 'y' : 'n';
  assert(write(out, &byte, 1) == 1);
}

static void* make_child(void* unused) {
  *variable() = 17;
  assert(pipe(left) == 0);
  pid_t child = fork();
  assert(child >= 0);
  if (child == 0) {
    live_on();
    _exit(0);
  }
  char byte;
  assert(read(left[0], &byte, 1) == 1);
  return unused;
}

// Takes the place of the other one.
static void* nothing(void* unused) { return unused; }

int main(int argc, char** argv) {
  assert(argc == 3);
  question = argv[1];
  answer = argv[2];
  void* library = dlopen(LATE_VARIABLE, RTLD_NOW);
  assert(library != NULL);
  variable = (int* (*)(void))dlsym(library, "late_variable");
  finish(start(make_child));
  finish(start(nothing));
  return 0;
}
