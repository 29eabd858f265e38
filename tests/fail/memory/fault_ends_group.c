// A page that a thread has used loses its rights, and the thread goes on: the fault comes in the
// middle of accesses that patched code has checked, and counted, together.
#include <sys/mman.h>

#include "program.h"

enum { WORDS = 64, PAGE = 4096 };
static struct node { volatile long before, after, sum; } nodes[WORDS];

static void* wait_a_moment(void* unused) { return unused; }

static __attribute__((noinline)) void add_up(const volatile long* word) {
  for (struct node* n = nodes; n != nodes + WORDS; n++, word++) {
    long before = n->before;
    long between = *word;
    n->sum = before + between + n->after;
  }
}

int main(void) {
  finish(start(wait_a_moment));
  long* page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  assert(page != MAP_FAILED);
  long* words = page + PAGE / 2 / sizeof(long);  // the shadow's cache has both arrays
  for (int round = 0; round < 3; round++) add_up(words);
  int error = mprotect(page, PAGE, PROT_NONE);
  assert(error == 0);
  add_up(words);
  return 0;
}
