// Two numbers, each in a text of its own: `text WORD WORD` or `file NAME NAME`. A thread overwrites
// y only for 700 and 11; main writes y too and must win.
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static long first, second;
static volatile int y;

static void* overwrite(void* unused) {
  if (first == 700 && second == 11) y = 2;
  return unused;
}

static long number_in(const char* way, const char* word) {
  char text[32] = "";
  if (strcmp(way, "text") == 0) return atol(word);
  FILE* file = fopen(word, "r");
  if (file != NULL) text[fread(text, 1, sizeof text - 1, file)] = 0;
  return atol(text);
}

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  first = number_in(argv[1], argv[2]);
  second = number_in(argv[1], argv[3]);
  pthread_t thread;
  pthread_create(&thread, 0, overwrite, 0);
  y = 1;
  pthread_join(thread, 0);
  assert(y != 2);
  return 0;
}
