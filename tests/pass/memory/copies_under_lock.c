// memcpy, memmove, memset, memcmp, strcpy and strlen on shared buffers under a lock: always whole.
#include <string.h>

#include "program.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char text[64] = "initial", copy[64];

static void* write_text(void* arg) {
  pthread_mutex_lock(&lock);
  strcpy(text, arg);
  memcpy(copy, text, sizeof copy);
  memmove(copy + 1, copy, 20);
  pthread_mutex_unlock(&lock);
  return NULL;
}

static void* read_text(void* unused) {
  char seen[64];
  pthread_mutex_lock(&lock);
  memset(seen, 0, sizeof seen);
  strncpy(seen, text, sizeof seen - 1);
  pthread_mutex_unlock(&lock);
  assert(strlen(seen) == 7 || strlen(seen) == 12);
  assert(memcmp(seen, "initial", 8) == 0 || strcmp(seen, "first writer") == 0 ||
         strcmp(seen, "other writer") == 0);
  return unused;
}

int main(void) {
  pthread_t a = start_with(write_text, "first writer"), b = start(read_text),
            c = start_with(write_text, "other writer");
  finish(a);
  finish(b);
  finish(c);
  assert(copy[0] == copy[1]);
  return 0;
}
