// Two threads with one role compare values, and main compares byte strings by all functions that
// the runtime knows.
#define _GNU_SOURCE
#include <pthread.h>
#include <string.h>
#include <strings.h>

static volatile int shared, seen;
static volatile long wide = 0x1122334455667788;
static char text[64] = "some text", other[64] = "another";

static void* compare(void* unused) {
  for (int i = 0; i < 3; i++) {
    if (shared == 7654321) seen = 1;
    shared = shared + 1;
  }
  return unused;
}

int main(void) {
  pthread_t threads[2];
  for (int i = 0; i < 2; i++) pthread_create(&threads[i], 0, compare, 0);
  int equal = wide == 0x0102030405060708;
  for (int i = 0; i < 500; i++) equal += shared == i + 1000000;
  equal += strcmp(text, "strcmp") == 0;
  equal += strncmp(text, "strncmp", 5) == 0;
  equal += strcasecmp(text, "strcasecmp") == 0;
  equal += memcmp(text, "memcmp12", 8) == 0;
  equal += bcmp(text, "bcmp", 4) == 0;
  equal += memmem(text, strlen(text), "memmem", 6) != 0;
  equal += strcmp(text, other) == 0;
  for (int i = 0; i < 2; i++) pthread_join(threads[i], 0);
  return equal == 0 ? 0 : 1;
}
