// A process without privileges could not begin again, with a pipe open, as the one that had them.
#include <unistd.h>

#include "program.h"

static void* nothing(void* unused) { return unused; }

int main(void) {
  if (getuid() == 0) {  // else there is nothing to give up
    assert(setgid(65534) == 0);
    assert(setuid(65534) == 0);
  }
  int ends[2];
  assert(pipe(ends) == 0);
  finish(start(nothing));
  return 0;
}
