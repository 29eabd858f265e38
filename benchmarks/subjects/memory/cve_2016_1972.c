// A codec initialises its function table on first use; two decoders start together and one tears
// the table down when it believes itself the last user. The user count is kept without a lock. The
// bug: a lost increment lets the first to finish free the table under the other. It needs the two
// increments to overlap and then the whole life of one decoder inside the other's: 12 of 163 random
// walks (measured).
#include <pthread.h>
#include <stdlib.h>

struct table {
  void (*volatile decode)(void);
};

static struct table* volatile table;
static volatile int users, frames;

static void decode(void) { frames = frames + 1; }

static void acquire(void) {
  int before = users;
  users = before + 1;
  if (before == 0) {
    struct table* fresh = malloc(sizeof *fresh);
    fresh->decode = decode;
    table = fresh;
  }
}

static void release(void) {
  users = users - 1;
  if (users != 0) return;
  struct table* old = table;
  table = NULL;
  free(old);
}

static void* run_decoder(void* unused) {
  acquire();
  for (int i = 0; i < 3; i++)
    if (users > 0 && table) table->decode();
  release();
  return unused;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, run_decoder, 0);
  pthread_create(&b, 0, run_decoder, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  return 0;
}
