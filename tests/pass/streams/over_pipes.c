// Functions of stdio on the program's own pipes: only the thread that calls them waits, whichever
// it is, and other threads may use the same stream before and afterwards.
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <wchar.h>

#include "program.h"

enum { LARGE = 20000 };
static FILE *in, *out;
static char large[LARGE];

static void open_pipe(int size) {
  int ends[2];
  assert(pipe(ends) == 0 && fcntl(ends[1], F_SETPIPE_SZ, size) == size);
  in = fdopen(ends[0], "r");
  out = fdopen(ends[1], "w");
}

static void* write_it(void* unused) {
  assert(fwrite(large, 1, LARGE, out) == LARGE);
  assert(fputs("line\n", out) >= 0 && fputc('c', out) == 'c' && fprintf(out, "%d ", 42) == 3);
  assert(fflush(out) == 0);
  assert(fputs("the end", out) >= 0 && fclose(out) == 0);
  return unused;
}

static void large_transfer(void) {
  memset(large, 'x', LARGE);
  open_pipe(4096);
  pthread_t writer = start(write_it);
  static char got[LARGE + 1];
  assert(fread(got, 1, LARGE, in) == LARGE && memcmp(got, large, LARGE) == 0);
  int number = 0;
  assert(fgets(got, 10, in) == got && strcmp(got, "line\n") == 0);
  assert(fgetc(in) == 'c' && fscanf(in, "%d", &number) == 1 && number == 42);
  assert(fgets(got, 100, in) == got && strcmp(got, " the end") == 0 && feof(in));
  fclose(in);
  finish(writer);
}

static void* read_bytes(void* bytes) {
  for (ssize_t n = 0; n < LARGE;) n += read(fileno(in), bytes, 500);
  return bytes;
}

// Nobody is in a function of stdio for the pipe meanwhile: fflush would wait for that.
static void all_at_once(void) {
  open_pipe(4096);
  static char buffer[2 * LARGE];
  assert(setvbuf(out, buffer, _IOFBF, sizeof buffer) == 0);
  pthread_t reader;
  assert(pthread_create(&reader, NULL, read_bytes, large) == 0);
  assert(fwrite(buffer, 1, LARGE, out) == LARGE && fflush(NULL) == 0);
  finish(reader);
  fclose(out);
  fclose(in);
}

static void* print_to_descriptor(void* unused) {
  assert(dprintf(fileno(out), "%s %d\n", large, 42) == LARGE + 3 && fclose(out) == 0);
  return unused;
}

// Newer C libraries do this without a stream.
static void printed_to_a_descriptor(void) {
  open_pipe(4096);
  memset(large, 'x', LARGE - 1);
  large[LARGE - 1] = 0;
  pthread_t writer = start(print_to_descriptor);
  static char got[LARGE + 10];
  assert(fgets(got, sizeof got, in) == got && strcmp(got + LARGE - 1, " 42\n") == 0);
  fclose(in);
  finish(writer);
}

static void* print_wide(void* unused) {
  assert(fputws(L"wide\n", out) >= 0 && fclose(out) == 0);
  return unused;
}

static void wide_characters(void) {
  open_pipe(4096);
  pthread_t writer = start(print_wide);
  wchar_t line[10];
  assert(fgetws(line, 10, in) == line && wcscmp(line, L"wide\n") == 0);
  assert(fgetwc(in) == WEOF);
  fclose(in);
  finish(writer);
}

static void* read_line(void* count) {
  char line[10];
  for (int i = 0; i < 2; i++) {
    assert(fgets(line, sizeof line, in) == line && strcmp(line, "line\n") == 0);
    __atomic_fetch_add((int*)count, 1, __ATOMIC_SEQ_CST);
  }
  return count;
}

static void two_readers(void) {
  open_pipe(4096);
  int count = 0;
  pthread_t readers[2];
  for (int i = 0; i < 2; i++) assert(pthread_create(&readers[i], NULL, read_line, &count) == 0);
  for (int i = 0; i < 4; i++) assert(fputs("line\n", out) >= 0 && fflush(out) == 0);
  for (int i = 0; i < 2; i++) finish(readers[i]);
  assert(count == 4);
  fclose(out);
  assert(getc(in) == EOF);
  fclose(in);
}

static void* wait_for_ever(void* unused) {
  char line[10];
  (void)fgets(line, sizeof line, in);
  assert(0);
  return unused;
}

static void cancelled_reader(void) {
  open_pipe(4096);
  pthread_t reader;
  void* result;
  assert(pthread_create(&reader, NULL, wait_for_ever, NULL) == 0);
  assert(pthread_cancel(reader) == 0);
  assert(pthread_join(reader, &result) == 0 && result == PTHREAD_CANCELED);
  assert(fputs("line\n", out) >= 0 && fclose(out) == 0);
  assert(getc(in) == 'l');
  fclose(in);
}

int main(void) {
  large_transfer();
  all_at_once();
  printed_to_a_descriptor();
  wide_characters();
  two_readers();
  cancelled_reader();
  return 0;
}
