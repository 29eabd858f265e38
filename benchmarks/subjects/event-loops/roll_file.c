// Five entries go to a log that begins a new file before it would exceed 100 bytes. Each is checked
// against the size of the file when it is queued, and written a millisecond later by a timer. The
// bug: the last entry is checked before the one in front of it is written, and the file grows to
// 114 bytes. Both timers must be due and be handed out in the other order. The right program checks
// when it writes.
#define _GNU_SOURCE  // memfd_create
#include <sys/mman.h>
#include <sys/stat.h>

#include "loop.h"

enum { ENTRIES = 5, LARGEST = 100 };

static struct Entry {
  int size, at, checked, begins_file;
  struct Source check, write;
#ifdef INPUT
} entries[ENTRIES] = {{1, 10, 0, 0, {0}, {0}},
                      {1, 20, 0, 0, {0}, {0}},
                      {1, 30, 0, 0, {0}, {0}},
                      {1, 40, 0, 0, {0}, {0}},
                      {1, 42, 0, 0, {0}, {0}}};
#else
} entries[ENTRIES] = {{25, 10, 0, 0, {0}, {0}},
                      {28, 20, 0, 0, {0}, {0}},
                      {29, 30, 0, 0, {0}, {0}},
                      {15, 40, 0, 0, {0}, {0}},
                      {17, 42, 0, 0, {0}, {0}}};
#endif
static int file, total;

static int file_size(void) {
  struct stat status;
  loop_check(fstat(file, &status), "fstat");
  return (int)status.st_size;
}

static void begin_file(void) {
  if (file > 0) close(file);
  file = memfd_create("log", 0);
  loop_check(file, "memfd_create");
}

static void check_entry(void* context) {
  struct Entry* entry = context;
  if (entry->checked) return;
  entry->checked = 1;
  entry->begins_file = file_size() + entry->size > LARGEST;
}

static void write_entry(void* context) {
  static const char bytes[LARGEST];
  struct Entry* entry = context;
  check_entry(entry);  // if its timer has not been handed out yet
#ifdef RIGHT
  entry->begins_file = file_size() + entry->size > LARGEST;
#endif
  if (entry->begins_file) begin_file();
  loop_send(file, bytes, (size_t)entry->size);
  total += entry->size;
  assert(file_size() <= LARGEST);
}

int main(int argc, char** argv) {
  for (int i = 1; i < argc && i <= ENTRIES; i++) {
    int size = atoi(argv[i]);
    if (size > 0 && size < 30) entries[i - 1].size = size;
  }
  loop_begin();
  begin_file();
  for (int i = 0; i < ENTRIES; i++) {
    loop_at(&entries[i].check, entries[i].at, check_entry, &entries[i]);
    loop_at(&entries[i].write, entries[i].at + 1, write_entry, &entries[i]);
  }
  loop_run();
  return total > 0 ? 0 : 1;
}
