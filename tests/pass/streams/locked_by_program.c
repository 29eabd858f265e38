// A stream that a thread has locked is its own until it unlocks it, for functions that lock by
// themselves too.
#include <stdio.h>
#include <string.h>

#include "program.h"

static FILE* f;

static void* write_pair(void* unused) {
  flockfile(f);
  flockfile(f);
  putc_unlocked('<', f);
  sched_yield();
  funlockfile(f);
  sched_yield();
  putc_unlocked('>', f);
  funlockfile(f);
  return unused;
}

static void* write_word(void* unused) {
  fprintf(f, "%s", "word");
  fputs("word", f);
  fwrite("word", 1, 4, f);
  return unused;
}

static void* try_to_write(void* unused) {
  while (ftrylockfile(f) != 0) sched_yield();
  fputs("<>", f);
  funlockfile(f);
  return unused;
}

int main(void) {
  static char text[64];
  f = fmemopen(text, sizeof text, "w");
  pthread_t threads[] = {start(write_pair), start(write_word), start(write_pair),
                         start(try_to_write)};
  for (int i = 0; i < 4; i++) finish(threads[i]);
  fclose(f);
  assert(strlen(text) == 18);
  for (char* c = strchr(text, '<'); c != NULL; c = strchr(c + 1, '<')) assert(c[1] == '>');
  return 0;
}
