// Three bytes go over a pipe to three readers; each reads one, and at a later turn makes it upper
// case and puts it in front of the result. The bug: sent as "bug" they end as "BUG", which needs
// the three later turns in the reverse order of the reads. The right program notes the order of the
// reads and puts each byte where it belongs.
#include <ctype.h>

#include "loop.h"

#ifdef INPUT
static const char* input = "fly";
#else
static const char* input = "bug";
#endif
static char result[4];
static int sent, taken, added;
static int ends[2];
static struct Source sender;

static struct Reader {
  struct Source readable, paused;
  char byte;
  int ticket;
} readers[3];

static void add(void* context) {
  struct Reader* reader = context;
  char upper = (char)toupper(reader->byte);
#ifdef RIGHT
  result[2 - reader->ticket] = upper;
#else
  memmove(result + 1, result, 2);
  result[0] = upper;
#endif
  added++;
}

static void receive(void* context) {
  struct Reader* reader = context;
  if (read(reader->readable.fd, &reader->byte, 1) != 1) return;  // another reader was quicker
  reader->ticket = taken++;
  loop_forget(&reader->readable);
  loop_post(&reader->paused, add, reader);
}

static void send_next(void* unused) {
  loop_send(ends[1], &input[sent++], 1);
  if (sent < 3) loop_post(&sender, send_next, unused);
}

int main(int argc, char** argv) {
  if (argc > 1 && strlen(argv[1]) == 3) input = argv[1];
  loop_begin();
  loop_check(pipe(ends), "pipe");
  for (int i = 0; i < 3; i++) loop_watch(&readers[i].readable, dup(ends[0]), receive, &readers[i]);
  loop_post(&sender, send_next, 0);
  loop_run();
  assert(added == 3);
#ifdef RIGHT
  for (int i = 0; i < 3; i++) assert(result[2 - i] == (char)toupper(input[i]));
#else
  assert(strcmp(result, "BUG") != 0);
#endif
  return 0;
}
