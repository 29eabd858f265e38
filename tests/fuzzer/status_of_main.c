// Two threads that may lose an update; the program tells by its status. With an argument it always
// fails; with two, when the file that the second one names is not there yet.
#include <stdio.h>
#include <unistd.h>

#include "program.h"

static volatile int total;

static void* add_one(void* unused) {
  int seen = total;
  total = seen + 1;
  return unused;
}

int main(int argc, char** argv) {
  if (argc > 2 && access(argv[2], F_OK) != 0) {
    fclose(fopen(argv[2], "w"));
    return 4;
  }
  pthread_t a = start(add_one), b = start(add_one);
  finish(a);
  finish(b);
  if (argc == 2) {
    puts("told to fail");
    return 4;
  }
  return total == 2 ? 0 : 3;
}
