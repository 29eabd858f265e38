// A record is copied in two halves while another thread replaces it as a whole.
#include <string.h>

#include "program.h"

static int record[2][8];

static void* replace(void* unused) {
  int fresh[2][8] = {{1}, {1}};
  memcpy(record, fresh, sizeof fresh);
  return unused;
}

static void* read_halves(void* unused) {
  int first[8], second[8];
  memcpy(first, record[0], sizeof first);
  memcpy(second, record[1], sizeof second);
  assert(first[0] == second[0]);
  return unused;
}

int main(void) {
  pthread_t a = start(replace), b = start(read_halves);
  finish(a);
  finish(b);
  return 0;
}
