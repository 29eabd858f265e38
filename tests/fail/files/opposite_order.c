// Two threads lock two files, each through descriptions of its own. The bug: they lock them in
// opposite orders, and each waits for the file that the other one has.
#define _GNU_SOURCE
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include "program.h"

static char journal[] = "/tmp/rff-journal-XXXXXX", table[] = "/tmp/rff-table-XXXXXX";

static int locked(const char* name) {
  int file = open(name, O_RDWR);
  assert(file >= 0 && flock(file, LOCK_EX) == 0);
  return file;
}

static void* writes_journal_first(void* unused) {
  int first = locked(journal), second = locked(table);
  close(second);
  close(first);
  return unused;
}

static void* writes_table_first(void* unused) {
  int first = locked(table), second = locked(journal);
  close(second);
  close(first);
  return unused;
}

int main(void) {
  close(mkstemp(journal));
  close(mkstemp(table));
  pthread_t threads[2] = {start(writes_journal_first), start(writes_table_first)};
  finish(threads[0]);
  finish(threads[1]);
  unlink(journal);
  unlink(table);
  return 0;
}
