// The C library ends the program by itself, with status 3.
#include <err.h>

#include "program.h"

static void* nothing(void* unused) { return unused; }

int main(void) {
  finish(start(nothing));
  errx(3, "that is all");
}
