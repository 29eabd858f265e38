// Executes a script of allocations, releases and accesses, given as its argument. Each step names
// the thread that makes it; threads take turns in the order of the script, so that the first error
// is the same under every schedule. A step is "THREAD OP SLOT A B". With the argument "-" it
// executes each line of its standard input, in a process of its own, and prints that one's number.
#include <assert.h>
#include <emmintrin.h>
#include <malloc.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { kThreads = 3, kSlots = 8, kMostSteps = 100, kMostBytes = 4096 };

struct step {
  int thread, slot;
  char op;
  long a, b;
};

static struct step steps[kMostSteps];
static int count, next;
static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static char* slots[kSlots];
static char buffer[kMostBytes];
static volatile uint64_t seen;
static __m128i vector;
static void* (*volatile copy)(void*, const void*, size_t) = memcpy;
static void* (*volatile set)(void*, int, size_t) = memset;

static void load(const char* at, long width) {
  switch (width) {
    case 1: seen = *(volatile uint8_t*)at; break;
    case 2: seen = *(volatile uint16_t*)at; break;
    case 4: seen = *(volatile uint32_t*)at; break;
    case 8: seen = *(volatile uint64_t*)at; break;
    default:
      vector = _mm_loadu_si128((const __m128i*)at);
      seen = (uint64_t)_mm_cvtsi128_si64(vector);
  }
}

static void store(char* at, long width) {
  switch (width) {
    case 1: *(volatile uint8_t*)at = 1; break;
    case 2: *(volatile uint16_t*)at = 2; break;
    case 4: *(volatile uint32_t*)at = 4; break;
    case 8: *(volatile uint64_t*)at = 8; break;
    default: _mm_storeu_si128((__m128i*)at, vector);
  }
}

static void move(char* at, long bytes) {
  void *from = at, *to = buffer;
  __asm__ volatile("rep movsb" : "+S"(from), "+D"(to), "+c"(bytes) : : "memory");
}

static void execute(const struct step* s) {
  char** slot = &slots[s->slot];
  switch (s->op) {
    case 'm': *slot = malloc((size_t)s->a); break;
    case 'z': *slot = calloc(1, (size_t)s->a); break;
    case 'l': *slot = memalign((size_t)s->b, (size_t)s->a); break;
    case 'e': *slot = realloc(*slot, (size_t)s->a); break;
    case 'f': free(*slot); break;
    case 'F': free(*slot + s->a); break;
    case 'r': load(*slot + s->a, s->b); break;
    case 'w': store(*slot + s->a, s->b); break;
    case 'u': __atomic_fetch_add((uint32_t*)(*slot + s->a), 1, __ATOMIC_SEQ_CST); break;
    case 'c': copy(buffer, *slot + s->a, (size_t)s->b); break;
    case 's': set(*slot + s->a, 3, (size_t)s->b); break;
    case 'v': move(*slot + s->a, s->b); break;
    default: assert(0);
  }
}

static void* run(void* argument) {
  int me = (int)(intptr_t)argument;
  pthread_mutex_lock(&turn);
  while (next < count) {
    if (steps[next].thread != me) {
      pthread_cond_wait(&changed, &turn);
      continue;
    }
    execute(&steps[next++]);
    pthread_cond_broadcast(&changed);
  }
  pthread_mutex_unlock(&turn);
  return NULL;
}

static void run_script(const char* text) {
  int used = 0;
  struct step s;
  while (sscanf(text, " %d %c %d %ld %ld%n", &s.thread, &s.op, &s.slot, &s.a, &s.b, &used) == 5) {
    assert(count < kMostSteps && s.thread < kThreads && s.slot < kSlots);
    steps[count++] = s;
    text += used;
  }
  pthread_t threads[kThreads];
  for (int i = 0; i < kThreads; ++i) {
    pthread_create(&threads[i], NULL, run, (void*)(intptr_t)i);
  }
  for (int i = 0; i < kThreads; ++i) {
    pthread_join(threads[i], NULL);
  }
}

int main(int argc, char** argv) {
  assert(argc == 2);
  if (strcmp(argv[1], "-") != 0) {
    run_script(argv[1]);
    return 0;
  }
  static char text[1 << 23];
  size_t bytes = fread(text, 1, sizeof text, stdin);
  assert(bytes < sizeof text);
  fclose(stdin);  // before there are processes, which would share its place
  for (char *rest = text, *line; (line = strsep(&rest, "\n")) != NULL && rest != NULL;) {
    pid_t child = fork();
    if (child == 0) {
      run_script(line);
      _exit(0);
    }
    assert(child > 0 && waitpid(child, NULL, 0) == child);
    printf("%d\n", (int)child);
    fflush(stdout);
  }
  return 0;
}
