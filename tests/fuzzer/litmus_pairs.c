// Store buffering with a value that is drawn; writes the value and what the two threads read.
#include <fcntl.h>
#include <pthread.h>
#include <rff/property.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static volatile int x, y, value, read_y, read_x;

static void* first(void* unused) {
  x = value;
  read_y = y;
  return unused;
}

static void* second(void* unused) {
  y = 1;
  read_x = x;
  return unused;
}

RFF_PROPERTY(litmus_pairs) {
  pthread_t threads[2];
  value = rff_int(0, 3);
  x = y = 0;
  pthread_create(&threads[0], 0, first, 0);
  pthread_create(&threads[1], 0, second, 0);
  pthread_join(threads[0], 0);
  pthread_join(threads[1], 0);
  char line[64];
  snprintf(line, sizeof line, "%d %d %d\n", value, read_y, read_x);
  int file = open(getenv("STATES_FILE"), O_WRONLY | O_CREAT | O_APPEND, 0600);
  rff_check(write(file, line, strlen(line)) > 0);
  close(file);
}
