/* Correct: threads replace a block in turn. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static long turn;
static char* word;

static void* work(void* number) {
  char local[40];
  memset(local, (int)(long)number, sizeof local);
  pthread_mutex_lock(&lock);
  while (turn != (long)number) {
    pthread_cond_wait(&changed, &lock);
  }
  free(word);
  word = malloc(sizeof local);
  memcpy(word, local, sizeof local);
  turn++;
  pthread_cond_broadcast(&changed);
  pthread_mutex_unlock(&lock);
  return NULL;
}

int main(void) {
  pthread_t threads[3];
  for (long i = 0; i < 3; i++) {
    pthread_create(&threads[i], NULL, work, (void*)i);
  }
  for (int i = 0; i < 3; i++) {
    pthread_join(threads[i], NULL);
  }
  int wrong = word[7] != 2;
  free(word);
  return wrong;
}
