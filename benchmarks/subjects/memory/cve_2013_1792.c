// Two threads of one user install the user's two keyrings. The second takes the presence of the
// first keyring as a sign that both are installed. The bug: it comes between the two assignments,
// made far apart, and uses a null session keyring: 1 random walk in 32 (computed), 7 of 163
// (measured).
#include <pthread.h>
#include <stdlib.h>

struct keyring {
  volatile int uses;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct keyring* volatile user_keyring, * volatile session_keyring;

static void install(void) {
  if (user_keyring) return;
  pthread_mutex_lock(&lock);
  if (!user_keyring) {
    struct keyring* both = calloc(2, sizeof *both);
    user_keyring = &both[0];
    session_keyring = &both[1];
  }
  pthread_mutex_unlock(&lock);
}

static void* look_up(void* unused) {
  install();
  session_keyring->uses = session_keyring->uses + 1;
  return unused;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, look_up, 0);
  pthread_create(&b, 0, look_up, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  return 0;
}
