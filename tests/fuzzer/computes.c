// Two threads sweep over what they share, for longer than a schedule may take. With an argument the
// program sleeps first, which takes its time only when it runs by itself, and sweeps once.
#include <time.h>

#include "program.h"

enum { kCells = 1000 };
static volatile int cells[kCells];
static int rounds = 100000;

static void* sweep(void* unused) {
  for (int r = 0; r < rounds; r++) {
    for (int i = 0; i < kCells; i++) {
      cells[i] = cells[i] + r;
    }
  }
  return unused;
}

int main(int argc, char** argv) {
  if (argc > 1) {
    struct timespec time = {0, 600000000};
    nanosleep(&time, NULL);
    rounds = 1;
  }
  pthread_t a = start(sweep), b = start(sweep);
  finish(a);
  finish(b);
  return argv == NULL;
}
