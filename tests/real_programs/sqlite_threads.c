// Three threads insert rows into one SQLite database in memory, each over the same serialised
// connection.
#include <pthread.h>
#include <sqlite3.h>

#include "result.h"

enum { THREADS = 3, ROWS = 4 };

static sqlite3* database;

static void execute(const char* statement) {
  char* message = 0;
  if (sqlite3_exec(database, statement, 0, 0, &message) != SQLITE_OK) {
    fprintf(stderr, "%s: %s\n", statement, message);
    exit(1);
  }
}

static void* insert(void* number) {
  for (int i = 0; i < ROWS; i++) {
    char statement[80];
    snprintf(statement, sizeof statement, "insert into t values (%ld, %d)", (long)number, i);
    execute(statement);
  }
  return 0;
}

static long ask(const char* question) {
  sqlite3_stmt* statement;
  if (sqlite3_prepare_v2(database, question, -1, &statement, 0) != SQLITE_OK ||
      sqlite3_step(statement) != SQLITE_ROW)
    exit(1);
  long answer = (long)sqlite3_column_int64(statement, 0);
  sqlite3_finalize(statement);
  return answer;
}

int main(int argc, char** argv) {
  pthread_t threads[THREADS];
  if (sqlite3_open_v2(":memory:", &database,
                      SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_FULLMUTEX,
                      0) != SQLITE_OK)
    return 1;
  execute("create table t (a integer, b integer)");
  for (long i = 0; i < THREADS; i++) pthread_create(&threads[i], 0, insert, (void*)i);
  for (int i = 0; i < THREADS; i++) pthread_join(threads[i], 0);
  tell_result(argc, argv, "%ld rows, sum %ld", ask("select count(*) from t"),
              ask("select sum(10 * a + b) from t"));
  sqlite3_close(database);
  return 0;
}
