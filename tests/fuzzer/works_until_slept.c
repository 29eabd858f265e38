// As tests under load do, two threads work until the first one has slept. Nobody waits for anything
// else, so the sleep must end although others can run. "carelessly": each fills the table that it
// finds empty without a lock.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_int over, filled, fills;
static bool careless;

static void* work(void* unused) {
  while (!atomic_load(&over)) {
    if (!careless) pthread_mutex_lock(&lock);
    if (!atomic_load(&filled)) {
      atomic_fetch_add(&fills, 1);
      atomic_store(&filled, 1);
    }
    if (!careless) pthread_mutex_unlock(&lock);
  }
  return unused;
}

int main(int argc, char** argv) {
  (void)argv;
  careless = argc > 1;
  pthread_t first, second;
  pthread_create(&first, NULL, work, NULL);
  pthread_create(&second, NULL, work, NULL);
  usleep(7000);
  atomic_store(&over, 1);
  pthread_join(first, NULL);
  pthread_join(second, NULL);
  assert(atomic_load(&fills) < 2);
  return 0;
}
