// Two threads and a queue, with glib patched too.
#include <gio/gio.h>
#include <stdio.h>

static gpointer work(gpointer queue) {
  for (int i = 1; i <= 3; i++) {
    g_async_queue_push(queue, GINT_TO_POINTER(i));
  }
  return NULL;
}

int main(void) {
  GAsyncQueue* queue = g_async_queue_new();
  GThread* a = g_thread_new("a", work, queue);
  GThread* b = g_thread_new("b", work, queue);
  int sum = 0;
  for (int i = 0; i < 6; i++) {
    sum += GPOINTER_TO_INT(g_async_queue_pop(queue));
  }
  g_thread_join(a);
  g_thread_join(b);
  g_async_queue_unref(queue);
  GHashTable* table = g_hash_table_new(g_str_hash, g_str_equal);
  g_hash_table_insert(table, "key", "value");
  printf("%d %s %u\n", sum, (char*)g_hash_table_lookup(table, "key"), g_get_num_processors());
  g_hash_table_destroy(table);
  return sum != 12;
}
