/* one_run BYTES OUT [SAVED]: one run under the bytes of a file. Writes what came of it to OUT, and
 * the run as a schedule to SAVED, and what a fuzzing engine hears of it to SAVED.features. */
#include <pthread.h>
#include <rff/harness.h>
#include <stdio.h>

enum { kThreads = 3, kRounds = 3 };
static char order[kThreads * kRounds + 1];
static int next;
static int updates; /* without a lock: some are lost */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void* take_turns(void* letter) {
  for (int i = 0; i < kRounds; ++i) {
    updates = updates + 1;
    pthread_mutex_lock(&lock);
    order[next++] = *(const char*)letter;
    pthread_mutex_unlock(&lock);
  }
  return NULL;
}

static int body(void* unused) {
  static const char kLetters[] = "abc";
  pthread_t threads[kThreads];
  (void)unused;
  for (int i = 0; i < kThreads; ++i) {
    pthread_create(&threads[i], NULL, take_turns, (void*)&kLetters[i]);
  }
  for (int i = 0; i < kThreads; ++i) {
    pthread_join(threads[i], NULL);
  }
  return 0;
}

static int write_features(const char* saved) {
  char path[4096];
  snprintf(path, sizeof path, "%s.features", saved);
  FILE* out = fopen(path, "w");
  if (out == NULL) {
    return 0;
  }
  const rff_facts* run = rff_last_run();
  for (size_t i = 0; i < run->feature_count; ++i) {
    fprintf(out, "%d\n", run->features[i]);
  }
  return fclose(out) == 0;
}

int main(int argc, char** argv) {
  static uint8_t bytes[4096];
  if (argc < 3) {
    return 2;
  }
  FILE* in = fopen(argv[1], "rb");
  if (in == NULL) {
    return 2;
  }
  size_t size = fread(bytes, 1, sizeof bytes, in);
  fclose(in);
  const uint8_t* data = bytes;
  rff_schedule schedule = rff_schedule_from_bytes(&data, &size, RFF_ALL);
  schedule.end = RFF_END_FIRST;
  if (rff_run(&schedule, body, NULL) != 0) {
    return 1;
  }
  if (argc > 3 && !rff_is_controlled() && !(rff_save(argv[3]) == 0 && write_features(argv[3]))) {
    return 1;
  }
  FILE* out = fopen(argv[2], "w");
  fprintf(out, "%s %d\n", order, updates);
  return fclose(out);
}
