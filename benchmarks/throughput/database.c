/* Two threads insert into one table of an SQLite database in memory, through a cache they share. */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

/* What is needed of sqlite3.h. */
typedef struct sqlite3 sqlite3;
int sqlite3_open_v2(const char*, sqlite3**, int, const char*);
int sqlite3_exec(sqlite3*, const char*, int (*)(void*, int, char**, char**), void*, char**);
int sqlite3_close(sqlite3*);
enum { READ_WRITE = 2, CREATE = 4, IS_URI = 0x40, ROWS = 3 };

static sqlite3* open_database(void) {
  sqlite3* database;
  assert(sqlite3_open_v2("file:shared?mode=memory&cache=shared", &database,
                         READ_WRITE | CREATE | IS_URI, 0) == 0);
  return database;
}

static void* insert(void* number) {
  sqlite3* database = open_database();
  for (int i = 0; i < ROWS; i++) {
    char statement[64];
    snprintf(statement, sizeof statement, "INSERT INTO t VALUES(%ld, %d);", (long)number, i);
    sqlite3_exec(database, statement, 0, 0, 0); /* may find the table locked */
  }
  sqlite3_close(database);
  return 0;
}

int main(void) {
  sqlite3* database = open_database();
  assert(sqlite3_exec(database, "CREATE TABLE t(a, b);", 0, 0, 0) == 0);
  pthread_t threads[2];
  for (long i = 0; i < 2; i++) pthread_create(&threads[i], 0, insert, (void*)i);
  for (int i = 0; i < 2; i++) pthread_join(threads[i], 0);
  sqlite3_close(database);
  return 0;
}
