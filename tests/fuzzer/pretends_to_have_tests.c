// Pretends to be a program of GoogleTest, whose lister goes wrong as LISTER says. The tests:
// Bank.Racy fails in some orders, Bank.Right in none, Bank.Single has no threads.
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "program.h"

static int balance;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void* deposit(void* locked) {
  if (locked) pthread_mutex_lock(&lock);
  int seen = *(volatile int*)&balance;
  balance = seen + 1;
  if (locked) pthread_mutex_unlock(&lock);
  return NULL;
}

static int two_deposits(void* locked) {
  pthread_t one = start_with(deposit, locked), two = start_with(deposit, locked);
  finish(one);
  finish(two);
  return balance == 2 ? 0 : 1;
}

static void list(const char* file, const char* names) {
  FILE* out = fopen(file, "w");
  fprintf(out, "{\"testsuites\": [{\"name\": \"Bank\", \"testsuite\": [%s]}]}", names);
  fclose(out);
}

static int answer_the_lister(const char* file) {
  const char* lister = getenv("LISTER");
  if (lister == NULL) {
    list(file, "{\"name\": \"Racy\"}, {\"name\": \"Right\"}, {\"name\": \"Single\"}");
  } else if (strcmp(lister, "twice") == 0) {
    list(file, "{\"name\": \"Right\"}, {\"name\": \"Right\"}");
  } else if (strcmp(lister, "rubbish") == 0) {
    list(file, "\xff\x01");
  } else if (strcmp(lister, "hangs") == 0) {
    for (;;) pause();
  } else if (strcmp(lister, "floods") == 0) {
    static const char words[1 << 16] = {'x'};
    while (write(1, words, sizeof words) > 0) {
    }
  } else if (strcmp(lister, "dies") == 0) {
    abort();
  }
  return 0;
}

int main(int argc, char** argv) {
  const char* test = "";
  for (int i = 1; i < argc; i++) {
    if (strncmp(argv[i], "--gtest_output=json:", 20) == 0) return answer_the_lister(argv[i] + 20);
    if (strcmp(argv[i], "--gtest_list_tests") == 0) continue;
    if (strncmp(argv[i], "--gtest_filter=Bank.", 20) == 0) test = argv[i] + 20;
  }
  return strcmp(test, "Single") == 0 ? 0 : two_deposits(strcmp(test, "Right") == 0 ? &lock : NULL);
}
