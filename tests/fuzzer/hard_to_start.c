// hard_to_start WAY: does to its process, before or after its first thread, what makes a program
// hard to run under a fuzzer. Its threads are correct.
#define _GNU_SOURCE
#include <fcntl.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "program.h"

static const char* way;
static int is(const char* name) { return strcmp(way, name) == 0; }

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int count;

static void* work(void* unused) {
  pthread_mutex_lock(&lock);
  ++count;
  pthread_mutex_unlock(&lock);
  return unused;
}

static void expect_few_files(void) {
  struct rlimit limit;
  assert(getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur == 64);
  int last = open("/dev/null", O_RDONLY);
  for (int next = last; next >= 0; next = open("/dev/null", O_RDONLY)) {
    last = next;
  }
  assert(errno == EMFILE && last == 63);
}

int main(int arguments, char** words) {
  way = arguments > 1 ? words[1] : "";
  if (is("few files")) {
    expect_few_files();
  }
  pthread_t other = start(work);
  work(NULL);
  finish(other);
  assert(count == 2);
  return 0;
}
