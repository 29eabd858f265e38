// The input of a subject: decimal numbers, separated by anything else. They come from the file that
// `file NAME` names, from the word of `text WORD`, from the variable INPUT, else from standard
// input.
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_INPUT = 256 };

static const char* input_text(int argc, char** argv) {
  static char text[MOST_INPUT];
  if (argc == 3 && strcmp(argv[1], "text") == 0) return argv[2];
  if (argc == 1 && getenv("INPUT") != NULL) return getenv("INPUT");
  FILE* file = argc == 3 && strcmp(argv[1], "file") == 0 ? fopen(argv[2], "r") : stdin;
  if (file != NULL) text[fread(text, 1, MOST_INPUT - 1, file)] = 0;
  return text;
}

// Numbers that are missing are 0.
static void read_numbers(int argc, char** argv, long* numbers, int count) {
  const char* at = input_text(argc, argv);
  for (int i = 0; i < count; i++) {
    while (*at != 0 && !isdigit((unsigned char)*at) && *at != '-') at++;
    char* end;
    numbers[i] = strtol(at, &end, 10);
    at = end > at ? end : at + (*at != 0);
  }
}

static inline long read_number(int argc, char** argv) {
  long number;
  read_numbers(argc, argv, &number, 1);
  return number;
}
