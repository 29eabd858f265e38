// Two transfers at 10 and 30 ms change the total; each appends the total that it saw to a log, the
// first at 50 ms, the second at 51 (30 and the argument). The bug: if the second entry is written
// first, the log ends with a total that is not the total. Both timers must be due, and the later
// one be handed out before the earlier one. The right program appends the total of that moment.
#define _GNU_SOURCE  // memfd_create
#include <sys/mman.h>

#include "loop.h"

static int total = 100;
static int log_file;

static struct Transfer {
  int amount, at, logged_at, seen;
  struct Source change, log;
} transfers[2] = {{40, 10, 50, 0, {0}, {0}}, {-25, 30, 51, 0, {0}, {0}}};

static void append_total(void* context) {
  struct Transfer* transfer = context;
#ifdef RIGHT
  transfer->seen = total;
#endif
  loop_send(log_file, &transfer->seen, sizeof transfer->seen);
}

static void change_total(void* context) {
  struct Transfer* transfer = context;
  total = total + transfer->amount;
  transfer->seen = total;
  loop_at(&transfer->log, transfer->logged_at, append_total, transfer);
}

int main(int argc, char** argv) {
#ifdef INPUT
  transfers[1].logged_at = transfers[1].at + 49;
  if (argc > 1 && argv[1][0] && atoi(argv[1]) >= 0 && atoi(argv[1]) < 50)
#else
  if (argc > 1)
#endif
    transfers[1].logged_at = transfers[1].at + atoi(argv[1]);
  loop_begin();
  log_file = memfd_create("log", 0);
  loop_check(log_file, "memfd_create");
  for (int i = 0; i < 2; i++)
    loop_at(&transfers[i].change, transfers[i].at, change_total, &transfers[i]);
  loop_run();
  int entries[2];
  loop_check(pread(log_file, entries, sizeof entries, 0) == sizeof entries ? 0 : -1, "pread");
  assert(entries[1] == total);
  return 0;
}
