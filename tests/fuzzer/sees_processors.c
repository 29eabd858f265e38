// Ends with status 1 unless it sees as many processors as its argument says; with a second argument
// also in a library that is not patched.
#define _GNU_SOURCE
#include <sched.h>
#include <unistd.h>

#include "program.h"

// In a library that is not patched, by cpuid.
unsigned unseen_processors(void);

static int wanted, seen;

static void* look(void* unused) {
  cpu_set_t set;
  seen = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : -1;
  return unused;
}

int main(int argc, char** argv) {
  wanted = argc > 1 ? atoi(argv[1]) : 4;
  finish(start(look));
  if (argc > 2 && (int)unseen_processors() != wanted) {
    return 1;
  }
  return seen == wanted && sysconf(_SC_NPROCESSORS_ONLN) == wanted ? 0 : 1;
}
