// Functions of the C library that hold a lock of its own while they allocate and free memory.
#define _GNU_SOURCE
#include <locale.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "program.h"

static regex_t numbers;

static void* use(void* name) {
  time_t when = 86400;
  struct tm parts;
  assert(gmtime_r(&when, &parts) == &parts && parts.tm_mday == 2);
  assert(localtime_r(&when, &parts) == &parts && mktime(&parts) == when);
  assert(setenv(name, "value", 1) == 0 && unsetenv(name) == 0);
  locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
  assert(plain != (locale_t)0);
  freelocale(plain);
  assert(regexec(&numbers, "room 101", 0, NULL, 0) == 0);
  return NULL;
}

int main(void) {
  assert(regcomp(&numbers, "[0-9]+", REG_EXTENDED) == 0);
  pthread_t first = start_with(use, "FIRST"), second = start_with(use, "SECOND");
  finish(first);
  finish(second);
  regfree(&numbers);
  return 0;
}
