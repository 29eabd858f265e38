// A child process sends signals while the only thread left works on memory: they arrive at any
// instruction, also where that reports an access, and the handler works on the same memory.
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

enum { WORDS = 64, SIGNALS = 100 };

static volatile long words[WORDS];
static volatile sig_atomic_t handled;

static void handler(int signal) {
  (void)signal;
  for (int i = 0; i < WORDS; i++) words[i] += 0;
  handled++;
}

static void* work(void* unused) {
  words[0] = 1;
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, work, NULL);
  pthread_join(thread, NULL);
  signal(SIGUSR1, handler);
  pid_t parent = getpid();
  pid_t child = fork();
  if (child == 0) {
    while (kill(parent, SIGUSR1) == 0) {
      for (volatile int pause = 0; pause < 2000; pause++) {
      }
    }
    _exit(0);
  }
  long sum = 0;
  while (handled < SIGNALS) {
    for (int i = 0; i < WORDS; i++) sum += words[i];
  }
  kill(child, SIGKILL);
  waitpid(child, NULL, 0);
  assert(sum != 0);
  return 0;
}
