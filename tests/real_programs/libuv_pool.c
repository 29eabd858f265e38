// Work for libuv's pool of threads: four pieces, each done on a thread of the pool and ended on the
// loop.
#include <uv.h>

#include "result.h"

enum { PIECES = 4 };

static uv_work_t pieces[PIECES];
static long results[PIECES];
static int ended;

static void work(uv_work_t* piece) {
  long number = piece - pieces;
  for (long i = 0; i <= 20; i++) results[number] += number * i;
}

static void work_ended(uv_work_t* piece, int status) {
  (void)piece;
  if (status == 0) ended++;
}

int main(int argc, char** argv) {
  uv_loop_t* loop = uv_default_loop();
  for (int i = 0; i < PIECES; i++) {
    if (uv_queue_work(loop, &pieces[i], work, work_ended) != 0) return 1;
  }
  if (uv_run(loop, UV_RUN_DEFAULT) != 0 || uv_loop_close(loop) != 0) return 1;
  tell_result(argc, argv, "%d ended: %ld %ld %ld %ld", ended, results[0], results[1], results[2],
              results[3]);
  return 0;
}
