// loop KIND MODE ROUNDS: a thread loops for what nobody does, in one of many ways.
//   ends     after ROUNDS rounds
//   repeats  for ever, and its state is the same again in every round
//   counts   for ever, but it counts the rounds
#define _GNU_SOURCE
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "program.h"

static volatile int flag;  // nobody sets it
static volatile unsigned long own_count, shared_count;
static int exchanged = 1;
static pthread_mutex_t busy = PTHREAD_MUTEX_INITIALIZER;
static unsigned long limit, step;

static void in_register(void) {
  for (unsigned long i = 0; i < limit && !flag; i += step) {
  }
}

static void on_stack(void) {
  for (volatile unsigned long i = 0; i < limit && !flag; i += step) {
  }
}

static void on_heap(void) {
  volatile unsigned long* i = calloc(1, sizeof *i);
  for (; *i < limit && !flag; *i += step) {
  }
  free((void*)i);
}

static void in_variable(void) {
  for (; own_count < limit && !flag; own_count += step) {
  }
}

// The other thread reads it.
static void in_shared_memory(void) {
  for (; shared_count < limit && !flag; shared_count += step) {
  }
}

static void around(void) {  // comes back to where it was after seven rounds
  volatile unsigned long place = 0;
  for (unsigned long i = 0; i < limit && !flag; i += step) place = (place + 1) % 7;
}

static void private_only(void) {
  volatile unsigned long* x = calloc(2, sizeof *x);
  for (; x[0] < limit; x[0] += step) x[1] ^= 1;
  free((void*)x);
}

// No register ever holds the count.
static void memory_alone(void) {
  unsigned long* i = calloc(1, sizeof *i);
  unsigned char more = 1;
  while (more && !flag) {
    asm volatile("addq %2, %1\n\tcmpq %3, %1\n\tsetb %0"
                 : "=q"(more), "+m"(*i)
                 : "r"(step), "r"(limit)
                 : "cc");
  }
  free(i);
}

static void without_memory(void) {
  unsigned long end = limit, by = step;
  for (unsigned long i = 0; i < end; i += by) asm volatile("" : "+r"(i), "+r"(by), "+r"(end));
}

static void clock_read(void) {
  struct timespec t;
  for (unsigned long i = 0; i < limit && !flag; i += step) clock_gettime(CLOCK_MONOTONIC, &t);
}

static void until_deadline(void) {
  struct timespec t, end;
  clock_gettime(CLOCK_MONOTONIC, &end);
  end.tv_sec += (long)(limit > 1000 ? 1000 : limit);
  do {
    clock_gettime(CLOCK_MONOTONIC, &t);
  } while (!flag && (t.tv_sec < end.tv_sec || step == 0));
}

static void sleeping(void) {
  for (unsigned long i = 0; i < limit && !flag; i += step) usleep(100);
}

static void yielding(void) {
  for (unsigned long i = 0; i < limit && !flag; i += step) sched_yield();
}

static void try_lock(void) {
  for (unsigned long i = 0; i < limit && pthread_mutex_trylock(&busy) != 0; i += step) {
  }
}

static void under_lock(void) {
  static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  int seen = 0;
  for (unsigned long i = 0; i < limit && !seen; i += step) {
    pthread_mutex_lock(&lock);
    seen = flag;
    pthread_mutex_unlock(&lock);
  }
}

static void atomic_exchange(void) {
  for (unsigned long i = 0; i < limit && __atomic_exchange_n(&exchanged, 1, __ATOMIC_SEQ_CST);
       i += step) {
  }
}

static void compare_exchange(void) {
  int expected = 0;
  for (unsigned long i = 0;
       i < limit && !__atomic_compare_exchange_n(&exchanged, &expected, 1, 0, __ATOMIC_SEQ_CST,
                                                 __ATOMIC_SEQ_CST);
       i += step) {
    expected = 0;
  }
}

// Another process may make the file.
static void for_file(void) {
  for (unsigned long i = 0; i < limit && !flag && access("/nonexistent/file", F_OK) != 0; i += step)
    usleep(100);
}

// Another process may write there.
static void watch(volatile int* place) {
  for (unsigned long i = 0; i < limit && !*place; i += step) {
  }
}

static void childs_memory(void) {
  volatile int* place =
      mmap(NULL, sizeof *place, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  pid_t child = fork();
  if (child == 0) {
    for (;;) pause();
  }
  watch(place);
  kill(child, SIGKILL);
  waitpid(child, NULL, 0);
}

static void mapped_file(void) {
  int file = memfd_create("file", 0);
  assert(ftruncate(file, sizeof(int)) == 0);
  watch(mmap(NULL, sizeof(int), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0));
}

static void segment(void) {
  int number = shmget(IPC_PRIVATE, sizeof(int), IPC_CREAT | 0600);
  int* place = shmat(number, NULL, 0);
  shmctl(number, IPC_RMID, NULL);
  watch(place);
}

static const struct {
  const char* name;
  void (*loop)(void);
} kinds[] = {
    {"register", in_register},
    {"stack", on_stack},
    {"heap", on_heap},
    {"variable", in_variable},
    {"shared", in_shared_memory},
    {"around", around},
    {"private", private_only},
    {"without_memory", without_memory},
    {"clock", clock_read},
    {"deadline", until_deadline},
    {"sleep", sleeping},
    {"yield", yielding},
    {"try_lock", try_lock},
    {"under_lock", under_lock},
    {"exchange", atomic_exchange},
    {"compare_exchange", compare_exchange},
    {"file", for_file},
    {"memory_alone", memory_alone},
    {"child", childs_memory},
    {"mapped", mapped_file},
    {"segment", segment},
};

static void* run(void* kind) {
  for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
    if (strcmp(kinds[i].name, kind) == 0) kinds[i].loop();
  }
  return NULL;
}

// So that what the loops look at is known to be used by two threads.
static void* look(void* unused) {
  unsigned long sum = 0;
  for (int i = 0; i < 3; i++) {
    sum += (unsigned long)flag + shared_count +
           (unsigned long)__atomic_load_n(&exchanged, __ATOMIC_SEQ_CST);
  }
  return sum == 12345 ? NULL : unused;
}

int main(int argc, char** argv) {
  assert(argc == 4);
  int ends = strcmp(argv[2], "ends") == 0;
  limit = ends ? strtoul(argv[3], NULL, 0) : ~0UL;
  step = strcmp(argv[2], "repeats") == 0 ? 0 : 1;
  pthread_mutex_lock(&busy);
  pthread_t looping = start_with(run, argv[1]), looking = start(look);
  finish(looping);
  finish(looking);
  return 0;
}
