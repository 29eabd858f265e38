// Writes to every kind of memory, and fails if it finds what an earlier run wrote: nothing may be
// left of one run in the next, also not if both happen in one process.
#include <alloca.h>
#include <assert.h>
#include <errno.h>
#include <locale.h>
#include <malloc.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { kPage = 4096, kManyPages = 40 };

static int data = 7;
static char zeros[kManyPages * kPage];
static char many[kManyPages * kPage] = {1};
static __thread int of_thread = 3;
static int* block;         // allocated before the run begins
static char* own_mapping;  // likewise
static char* untouched;    // likewise; no page of it is present then
static pthread_key_t key;

static void check_and_write(volatile char* memory, size_t bytes) {
  for (size_t i = kPage; i < bytes; i += kPage) {
    assert(memory[i] == 0);
    memory[i] = 1;
  }
}

static void* other(void* argument) {
  (void)argument;
  assert(of_thread == 3);
  of_thread = 4;
  volatile char* deep = alloca(300 * kPage);
  for (size_t i = 0; i < 300 * kPage; i += kPage) {
    assert(deep[i] == 0);  // a stack that nobody has used
    deep[i] = 1;
  }
  __atomic_fetch_add(&data, 1, __ATOMIC_SEQ_CST);
  return NULL;
}

// As deep as no code before the run has been.
static void use_own_stack_deeply(void) {
  volatile char* deep = alloca(300 * kPage);
  for (size_t i = 0; i < 290 * kPage; i += kPage) {
    assert(deep[i] == 0);
    deep[i] = 1;
  }
}

static void at_exit(void) {}

static void check_and_write_libraries(void) {
  static char text[] = "a b c";
  assert(text[1] == ' ');
  strtok(text, " ");  // keeps a pointer
  assert(getenv("LEFT_OVER") == NULL);
  setenv("LEFT_OVER", "1", 1);
  assert(rand() == 1804289383);  // the first one after the program's start
  assert(pthread_getspecific(key) == NULL);
  pthread_setspecific(key, text);
  pthread_key_t another;
  assert(pthread_key_create(&another, NULL) == 0 && another == key + 1);
  atexit(at_exit);
  printf("kept in the buffer of the stream");
}

static void check_and_write_heap(void) {
  assert(strcmp(setlocale(LC_ALL, NULL), "C") == 0);
  setlocale(LC_ALL, "C.UTF-8");
  assert(*block == 5);
  *block = 6;
  free(block);
  char* small[64];
  for (int i = 0; i < 64; ++i) {
    small[i] = malloc(3000);  // the heap grows
    memset(small[i], 1, 3000);
  }
  for (int i = 0; i < 64; ++i) {
    free(small[i]);
  }
  malloc_trim(0);
  char* big = malloc(1 << 20);  // a mapping of its own
  check_and_write(big, 1 << 20);
  char* kept = malloc(3 << 20);  // until the end
  check_and_write(kept, 3 << 20);
  free(big);
}

int main(int argc, char** argv) {
  int wild = argc > 1 && strcmp(argv[1], "wild") == 0;
  block = malloc(sizeof *block);
  *block = 5;
  own_mapping = mmap(NULL, 8 * kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  untouched = mmap(NULL, 8 * kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  own_mapping[0] = 2;
  assert(pthread_key_create(&key, NULL) == 0);
  pthread_t threads[2];
  pthread_create(&threads[0], NULL, other, NULL);  // the run has begun
  assert(errno == 0 && data <= 8 && own_mapping[0] == 2);
  errno = ENOENT;
  own_mapping[0] = 3;
  assert(of_thread == 3);
  of_thread = 5;
  use_own_stack_deeply();
  check_and_write(zeros, sizeof zeros);
  check_and_write(many, sizeof many);
  check_and_write(untouched, 8 * kPage);
  check_and_write_libraries();
  if (!wild) {
    check_and_write_heap();
  }
  pthread_create(&threads[1], NULL, other, NULL);
  pthread_join(threads[0], NULL);
  pthread_join(threads[1], NULL);
  assert(data == 9);
  if (wild) {
    // Over everything of this program that can be written: 64 KiB of its variables and beyond.
    memset(zeros, 0x5a, sizeof zeros);
    memset(many, 0x5a, sizeof many);
    char* mine = malloc(64 << 10);
    memset(mine, 0x5a, 64 << 10);
  }
  return 0;
}
