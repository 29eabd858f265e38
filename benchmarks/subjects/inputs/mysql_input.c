// A statement changes a table and then writes the log, each under its own lock. If the input is
// 130, main empties the table and logs that. The bug: between table and log another statement may
// do both, so that the log ends with an insertion and the table is empty, or the other way round.
#include <assert.h>
#include <pthread.h>

#include "input.h"

enum { NOTHING, INSERT, REMOVE };
static pthread_mutex_t table_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t log_lock = PTHREAD_MUTEX_INITIALIZER;
static int rows, last_logged;

static void log_statement(int statement) {
  pthread_mutex_lock(&log_lock);
  last_logged = statement;
  pthread_mutex_unlock(&log_lock);
}

static void change(int new_rows, int statement) {
  pthread_mutex_lock(&table_lock);
  rows = new_rows;
#ifdef RIGHT
  log_statement(statement);
  pthread_mutex_unlock(&table_lock);
#else
  pthread_mutex_unlock(&table_lock);
  log_statement(statement);
#endif
}

static void* insert(void* unused) {
  change(1, INSERT);
  return unused;
}

int main(int argc, char** argv) {
  long wanted = read_number(argc, argv);
  pthread_t inserter;
  pthread_create(&inserter, 0, insert, 0);
  if (wanted == 130) change(0, REMOVE);
  pthread_join(inserter, 0);
  assert((rows == 1) == (last_logged == INSERT));
  return 0;
}
