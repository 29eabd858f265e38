// exit called by a thread ends the whole process with status 0 although main waits for it.
#include "program.h"

static void* leave(void* unused) {
  exit(0);
  return unused;
}

int main(void) {
  finish(start(leave));
  assert(!"not reached");
}
