// How these programs tell what they computed: one line, appended to the file named by the first
// argument, so that the lines of many runs can be compared; to standard output without one.
#pragma once
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

__attribute__((format(printf, 3, 4))) static inline void tell_result(int argc, char** argv,
                                                                     const char* format, ...) {
  char line[256];
  va_list values;
  va_start(values, format);
  int size = vsnprintf(line, sizeof line - 1, format, values);
  va_end(values);
  line[size++] = '\n';
  int fd = argc > 1 ? open(argv[1], O_WRONLY | O_CREAT | O_APPEND, 0644) : STDOUT_FILENO;
  if (fd < 0 || write(fd, line, (size_t)size) != size) {
    perror("the file of results");
    exit(2);
  }
  if (argc > 1) close(fd);
}
