// Two threads count to forty thousand in turns that any schedule may choose, and print how far
// they have come.
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

static atomic_int total;
static volatile struct {
  int id;
  double share;
  const char* names[2];
} settings = {7, 0.5, {0, 0}};

static void* count(void* unused) {
  for (int i = 0; i < 40000; i++) {
    atomic_fetch_add(&total, 1);
  }
  return unused;
}

int main(void) {
  char line[100];
  pthread_t first, second;
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
