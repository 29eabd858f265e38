// Two takers wait with `if`; both are woken by one broadcast, and only one token is there.
#include "program.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int tokens;

static void* take(void* unused) {
  pthread_mutex_lock(&lock);
  if (tokens == 0) pthread_cond_wait(&changed, &lock);
  assert(tokens > 0);
  tokens--;
  pthread_mutex_unlock(&lock);
  return unused;
}

int main(void) {
  pthread_t a = start(take), b = start(take);
  for (int i = 0; i < 2; i++) {
    pthread_mutex_lock(&lock);
    tokens++;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
  }
  finish(a);
  finish(b);
  return 0;
}
