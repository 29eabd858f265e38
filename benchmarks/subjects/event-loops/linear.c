// Three callbacks change x = -17: minus 2, times 4, plus 70, in whatever order their descriptors
// are handed out. The bug: times 4 first gives 0. Two orders of six; the order in which they became
// ready is another. The right program waits for all three and then computes in a fixed order.
#include "loop.h"

static long x = -17;
static int arrived;
static struct Source sources[3];

static void change(int which) {
  if (which == 0) x = x - 2;
  if (which == 1) x = x * 4;
  if (which == 2) x = x + 70;
}

static void called(void* which) {
  arrived++;
#ifdef RIGHT
  (void)which;
  if (arrived == 3) {
    for (int i = 0; i < 3; i++) change(i);
  }
#else
  change((int)(intptr_t)which);
#endif
}

int main(int argc, char** argv) {
  if (argc > 1) x = atol(argv[1]);
  loop_begin();
  for (intptr_t i = 0; i < 3; i++) loop_post(&sources[i], called, (void*)i);
  loop_run();
  assert(arrived == 3);
  assert(x != 0);
  return 0;
}
