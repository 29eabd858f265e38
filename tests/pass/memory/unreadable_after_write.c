// The page that a thread wrote last cannot be read any more when its next accesses come, which
// patched code checks in a group.
#include <sys/mman.h>

#include "program.h"

enum { WORDS = 64 };
static long words[WORDS];

static void* wait_a_moment(void* unused) { return unused; }

static __attribute__((noinline)) void fill(long* page) {
  for (int i = 0; i < WORDS; i++) page[i] = i;
}

static __attribute__((noinline)) long add_up(void) {
  long sum = 0;
  for (int i = 0; i < WORDS; i++) sum += words[i];
  return sum;
}

int main(void) {
  finish(start(wait_a_moment));
  long* page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  assert(page != MAP_FAILED);
  long sum = add_up();
  for (int round = 0; round < 3; round++) {
    fill(page);
    int error = mprotect(page, 4096, PROT_NONE);
    assert(error == 0);
    sum += add_up();
    error = mprotect(page, 4096, PROT_READ | PROT_WRITE);
    assert(error == 0);
  }
  return (int)sum;
}
