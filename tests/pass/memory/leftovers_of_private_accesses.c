// A thread copies memory that it never wrote, after accesses to memory that only this thread uses:
// most of them take the fast path of a run that is not traced. Deeper calls have left something
// below, which must stay.
#include <stdio.h>
#include <stdlib.h>

#include "program.h"

enum { WORDS = 600, ROUNDS = 4 };

static volatile unsigned long collected[2][ROUNDS * WORDS];

// Reads and writes of whole words, bytes and halves, with different registers, at different depths.
static __attribute__((noinline)) unsigned long touch(volatile unsigned long* mine, int deep) {
  volatile char frame[72];
  __asm__ volatile("" : "=m"(frame));
  unsigned long sum = mine[deep];
  mine[deep + 1] = sum + (unsigned long)deep;
  ((volatile unsigned char*)mine)[100 + deep] = (unsigned char)sum;
  ((volatile unsigned int*)mine)[60 + deep] = (unsigned int)sum;
  if (deep > 0) sum += touch(mine, deep - 1);
  mine[deep] = sum;
  return sum;
}

static __attribute__((noinline)) void leave_words(unsigned long value) {
  unsigned long words[WORDS];
  for (int i = 0; i < WORDS; i++) {
    words[i] = value * (unsigned long)i;
    __asm__ volatile("" : "+m"(words[i]));
  }
}

static __attribute__((noinline)) void collect(volatile unsigned long* into) {
  unsigned long leftovers[WORDS];
  __asm__ volatile("" : "=m"(leftovers));
  for (int i = 0; i < WORDS; i++) into[i] = leftovers[i];
}

static void* work(void* number) {
  volatile unsigned long* mine = calloc(64, sizeof *mine);
  for (int i = 0; i < ROUNDS; i++) {
    char text[32];
    snprintf(text, sizeof text, "%d", i);
    if (i % 2 == 1) leave_words((unsigned long)text[0] * 0x12345678);
    for (int round = 0; round < 3; round++) touch(mine, i);
    collect(&collected[(long)number][i * WORDS]);
  }
  free((void*)mine);
  return NULL;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, work, NULL);
  work((void*)1);
  finish(thread);
  return 0;
}
