// `linear` on libuv: three callbacks change x = -17: minus 2, times 4, plus 70, in whatever order
// the loop hands out their descriptors. The bug: times 4 first gives 0, two orders of six. The
// right program waits for all three and then computes in a fixed order.
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>
#include <uv.h>

static long x = -17;
static int arrived;
static uv_poll_t handles[3];
static int descriptors[3];

static void change(int which) {
  if (which == 0) x = x - 2;
  if (which == 1) x = x * 4;
  if (which == 2) x = x + 70;
}

static void called(uv_poll_t* handle, int status, int events) {
  (void)events;
  assert(status == 0);
  int which = (int)(handle - handles);
  uint64_t count;
  assert(read(descriptors[which], &count, sizeof count) == sizeof count);
  uv_close((uv_handle_t*)handle, 0);
  arrived++;
#ifdef RIGHT
  if (arrived == 3) {
    for (int i = 0; i < 3; i++) change(i);
  }
#else
  change(which);
#endif
}

int main(int argc, char** argv) {
  if (argc > 1) x = atol(argv[1]);
  uv_loop_t* loop = uv_default_loop();
  for (int i = 0; i < 3; i++) {
    descriptors[i] = eventfd(1, EFD_NONBLOCK);
    assert(uv_poll_init(loop, &handles[i], descriptors[i]) == 0);
    assert(uv_poll_start(&handles[i], UV_READABLE, called) == 0);
  }
  assert(uv_run(loop, UV_RUN_DEFAULT) == 0);
  assert(uv_loop_close(loop) == 0);
  assert(arrived == 3);
  assert(x != 0);
  return 0;
}
