// Floating-point numbers arrive where they are printed, by whichever function, also if threads take
// turns in between.
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "program.h"

static FILE* f;

static void print_list(const char* format, ...) {
  va_list rest;
  va_start(rest, format);
  vfprintf(f, format, rest);
  va_end(rest);
}

static void* print(void* unused) {
  fprintf(f, "%.2f %d %s %.1f %Lg %g %g %g %g %g %g %g\n", 1.25, 7, "x", -0.5, 3.5L, 1., 2., 3., 4., 5., 6., 7.);
  sched_yield();
  print_list("%.2f %.3f\n", 2.25, 0.125);
  return unused;
}

int main(void) {
  char* text = NULL;
  size_t size = 0;
  f = open_memstream(&text, &size);
  pthread_t t;
  pthread_create(&t, NULL, print, NULL);
  pthread_join(t, NULL);
  fclose(f);
  assert(strcmp(text, "1.25 7 x -0.5 3.5 1 2 3 4 5 6 7\n2.25 0.125\n") == 0);
  printf("%.3f\n", 1.5);
  free(text);
  return 0;
}
