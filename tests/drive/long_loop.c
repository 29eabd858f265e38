// Two threads count to the number that is the first argument, or to a hundred, in turns that any
// schedule may choose. Prints more than the runtime keeps.
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

static atomic_int total;
static int most = 100;
static volatile struct {
  int id;
  double share;
  const char* names[2];
} settings = {7, 0.5, {0, 0}};

static void* count(void* unused) {
  for (int i = 0; i < most; i++) {
    atomic_fetch_add(&total, 1);
  }
  return unused;
}

int main(int argc, char** argv) {
  char line[100];
  pthread_t first, second;
  most = argc > 1 ? atoi(argv[1]) : most;
  setvbuf(stdout, 0, _IOLBF, 0);
  while (fgets(line, sizeof line, stdin) != 0) {
    printf("read %s", line);
  }
  for (int i = 0; i < 20000; i++) {
    printf("line %d of many\n", i);
  }
  pthread_create(&first, 0, count, 0);
  pthread_create(&second, 0, count, 0);
  pthread_join(first, 0);
  printf("one of %d is done\n", settings.id);
  pthread_join(second, 0);
  return 0;
}
