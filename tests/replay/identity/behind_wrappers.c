// Bugs behind one wrapper: behind_wrappers KIND NUMBER fails in every schedule.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NOT_INLINED __attribute__((noinline))
#define NO_JUMP __asm__ volatile("")  // instead of a call at the end of a function

struct account {
  pthread_mutex_t lock;
  int balance;
};
struct account checking = {PTHREAD_MUTEX_INITIALIZER, 5};
struct account savings = {PTHREAD_MUTEX_INITIALIZER, 7};

NOT_INLINED void take(pthread_mutex_t* m) {
  if (pthread_mutex_lock(m) != 0) {
    perror("lock");
    abort();
  }
  NO_JUMP;
}

NOT_INLINED void panic(const char* text, int number) {
  fprintf(stderr, "panic: %s %d\n", text, number);
  abort();
}

NOT_INLINED void check(int condition, const char* text) {
  if (!condition) {
    fprintf(stderr, "check failed: %s\n", text);
    abort();
  }
}

NOT_INLINED void release(void* p) {
  free(p);
  NO_JUMP;
}

NOT_INLINED void deadlock_of_checking(void) {
  take(&checking.lock);
  checking.balance++;
  take(&checking.lock);
  NO_JUMP;
}
NOT_INLINED void deadlock_of_savings(void) {
  take(&savings.lock);
  savings.balance++;
  take(&savings.lock);
  NO_JUMP;
}
NOT_INLINED void panic_of_checking(void) {
  if (checking.balance == 5) panic("checking", checking.balance);
  savings.balance++;
}
NOT_INLINED void panic_of_savings(void) {
  if (savings.balance == 7) panic("savings", savings.balance);
  checking.balance++;
}
NOT_INLINED void check_of_checking(void) {
  check(checking.balance != 5, "balance");
  savings.balance++;
}
NOT_INLINED void check_of_savings(void) {
  check(savings.balance != 7, "balance");
  checking.balance++;
}
NOT_INLINED void double_free_of_checking(void) {
  char* p = malloc(checking.balance);
  release(p);
  release(p);
  NO_JUMP;
}
NOT_INLINED void double_free_of_savings(void) {
  char* p = malloc(savings.balance);
  release(p);
  release(p);
  NO_JUMP;
}

static const struct {
  const char* kind;
  void (*bugs[2])(void);
} kBugs[] = {{"lock", {deadlock_of_checking, deadlock_of_savings}},
             {"panic", {panic_of_checking, panic_of_savings}},
             {"check", {check_of_checking, check_of_savings}},
             {"free", {double_free_of_checking, double_free_of_savings}}};

static void* run(void* bug) {
  (*(void (**)(void))bug)();
  return NULL;
}

int main(int argc, char** argv) {
  for (unsigned i = 0; argc == 3 && i < sizeof kBugs / sizeof *kBugs; i++) {
    if (strcmp(argv[1], kBugs[i].kind) == 0) {
      void (*bug)(void) = kBugs[i].bugs[atoi(argv[2])];
      pthread_t thread;
      pthread_create(&thread, NULL, run, &bug);
      pthread_join(thread, NULL);
    }
  }
  return 0;
}
