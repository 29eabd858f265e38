// What the programs of this folder share. Each computes with a few threads, checks its result
// against what one thread computes, and has five planted bugs: -DBUG=1 to -DBUG=5 choose one,
// without it the program is correct. The comment at a bug says which orderings it needs.
#ifndef COMPUTE_H
#define COMPUTE_H

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#ifndef BUG
#define BUG 0
#endif

// Ends the program where bug `number` shows; 0 is a wrong result of the correct program.
static inline _Noreturn void fail(int number) {
  fprintf(stderr, "bug %d\n", number);
  abort();
}

// `amount` times the size factor, a percentage in argv[1] (default 100); at least 1.
static inline int scaled(int amount, int argc, char** argv) {
  int percent = argc > 1 ? atoi(argv[1]) : 100;
  return amount * percent < 100 ? 1 : amount * percent / 100;
}

// The same for the side of a square whose area the size factor is for.
static inline int scaled_side(int side, int argc, char** argv) {
  int area = scaled(side * side, argc, argv), result = 1;
  while ((result + 1) * (result + 1) <= area) result++;
  return result;
}

// Marsaglia's xorshift; `state` must not be 0.
static inline uint64_t next_random(uint64_t* state) {
  *state ^= *state << 13;
  *state ^= *state >> 7;
  *state ^= *state << 17;
  return *state;
}

static inline int random_below(uint64_t* state, int limit) {
  return (int)(next_random(state) >> 33) % limit;
}

static inline void start(pthread_t* thread, void* (*body)(void*), long self) {
  if (pthread_create(thread, NULL, body, (void*)self) != 0) exit(2);
}

static inline void join_all(pthread_t* threads, int count) {
  for (int i = 0; i < count; i++) pthread_join(threads[i], NULL);
}

// A side job of most programs, which takes no time compared with the rest: a thread that is started
// before the others fills a table, and main reads it when the others are done.
enum { TABLE = 16 };
static volatile int table[TABLE];
static pthread_t table_thread;

static inline void* fill_table(void* unused) {
  for (int i = 0; i < TABLE; i++) table[i] = 1 + (i > 0 ? table[i - 1] : 0);
  return unused;
}

static inline void start_table(void) { start(&table_thread, fill_table, 0); }

static inline void finish_table(void) {
#if BUG == 1
  // One ordering: the last entry is read here before it is stored.
  if (table[TABLE - 1] != TABLE) fail(1);
#endif
  pthread_join(table_thread, NULL);
  if (table[TABLE - 1] != TABLE) fail(BUG);
}

#endif
