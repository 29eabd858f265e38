// A pool of two threads squares numbers and hands them to glib's main loop, which adds them up; a
// timer asks for the next two.
#include <glib.h>

#include "result.h"

enum { NUMBERS = 6 };

static GMainLoop* loop;
static GThreadPool* pool;
static int asked, received;
static long sum;

static gboolean receive(gpointer square) {
  sum += GPOINTER_TO_INT(square);
  if (++received == NUMBERS) g_main_loop_quit(loop);
  return G_SOURCE_REMOVE;
}

static void square(gpointer number, gpointer unused) {
  (void)unused;
  int value = GPOINTER_TO_INT(number);
  g_idle_add(receive, GINT_TO_POINTER(value * value));
}

static gboolean ask(gpointer unused) {
  (void)unused;
  for (int i = 0; i < 2; i++) g_thread_pool_push(pool, GINT_TO_POINTER(++asked), 0);
  return asked < NUMBERS ? G_SOURCE_CONTINUE : G_SOURCE_REMOVE;
}

int main(int argc, char** argv) {
  loop = g_main_loop_new(0, FALSE);
  pool = g_thread_pool_new(square, 0, 2, TRUE, 0);
  g_timeout_add(5, ask, 0);
  g_main_loop_run(loop);
  g_thread_pool_free(pool, FALSE, TRUE);
  g_main_loop_unref(loop);
  tell_result(argc, argv, "%d numbers, sum %ld", received, sum);
  return 0;
}
