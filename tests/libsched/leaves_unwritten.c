// Leaves a letter to the C library, which writes it when the program ends: to the file of this
// name, as a wide one if there is another argument.
#include <stdio.h>
#include <wchar.h>

#include "program.h"

static FILE* file;

static void* say(void* unused) {
  assert(fputc('n', file) == 'n');
  return unused;
}

static void* say_widely(void* unused) {
  assert(fputwc(L'w', file) == L'w');
  return unused;
}

int main(int argc, char** argv) {
  assert(argc >= 2);
  file = fopen(argv[1], "a");
  assert(file != NULL);
  finish(start(argc == 2 ? say : say_widely));
  return 0;
}
