// Threads wait for commands that go on only when another thread lets them.
#include <spawn.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "program.h"

extern char** environ;
static int ends[2];

static const char* command(char* text, const char* then) {
  snprintf(text, 100, "head -c 1 <&%d >/dev/null; %s", ends[0], then);
  return text;
}

static void* with_system(void* unused) {
  char text[100];
  int status = system(command(text, "exit 3"));
  assert(WIFEXITED(status) && WEXITSTATUS(status) == 3);
  return unused;
}

static void* with_popen(void* unused) {
  char text[100], line[20];
  FILE* f = popen(command(text, "echo hello; exit 4"), "r");
  assert(f != NULL && fgets(line, sizeof line, f) != NULL && line[0] == 'h');
  int status = pclose(f);
  assert(WIFEXITED(status) && WEXITSTATUS(status) == 4);
  return unused;
}

static void* with_spawn(void* unused) {
  char text[100];
  char* words[] = {"sh", "-c", (char*)command(text, "exit 5"), NULL};
  pid_t child;
  int status = 0;
  assert(posix_spawn(&child, "/bin/sh", NULL, NULL, words, environ) == 0);
  assert(waitpid(child, &status, 0) == child && WEXITSTATUS(status) == 5);
  return unused;
}

int main(void) {
  assert(pipe(ends) == 0);
  pthread_t threads[] = {start(with_system), start(with_popen), start(with_spawn)};
  assert(write(ends[1], "xxx", 3) == 3);
  for (int i = 0; i < 3; i++) finish(threads[i]);
  return 0;
}
