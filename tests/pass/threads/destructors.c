// Exit handlers and destructors run one after the other, the latest first, each once; threads may
// be made in them.
#include <string.h>

#include "program.h"

static char seen[8];

static void note(char what) {
  assert(strlen(seen) < sizeof seen - 1);
  seen[strlen(seen)] = what;
}

static void* note_in_thread(void* what) {
  note(*(const char*)what);
  return NULL;
}

static void last_handler(void) { note('b'); }
static void first_handler(void) { note('a'); }

__attribute__((destructor(202))) static void first_destructor(void) {
  finish(start_with(note_in_thread, "c"));
}
__attribute__((destructor(201))) static void last_destructor(void) {
  note('d');
  assert(strcmp(seen, "abcd") == 0);
}

int main(void) {
  atexit(last_handler);
  atexit(first_handler);
  finish(start_with(note_in_thread, ""));
  assert(strcmp(seen, "") == 0);
  return 0;
}
