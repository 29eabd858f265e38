// A thread holds locks while another one forks. Nobody releases them in the child.
#include <sys/wait.h>
#include <unistd.h>

#include "program.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER, of_parent = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t written = PTHREAD_RWLOCK_INITIALIZER,
                        looked_at = PTHREAD_RWLOCK_INITIALIZER;
static pthread_spinlock_t spun;
static pthread_barrier_t held, forked;

static void* hold(void* unused) {
  assert(pthread_mutex_lock(&lock) == 0 && pthread_spin_lock(&spun) == 0);
  assert(pthread_rwlock_wrlock(&written) == 0 && pthread_rwlock_rdlock(&looked_at) == 0);
  pthread_barrier_wait(&held);
  pthread_barrier_wait(&forked);
  pthread_rwlock_unlock(&looked_at);
  pthread_rwlock_unlock(&written);
  pthread_spin_unlock(&spun);
  pthread_mutex_unlock(&lock);
  return unused;
}

static int look(void) {
  int as_expected = pthread_mutex_trylock(&lock) == EBUSY;
  as_expected += pthread_spin_trylock(&spun) == EBUSY;
  as_expected += pthread_rwlock_tryrdlock(&written) == EBUSY;
  as_expected += pthread_rwlock_trywrlock(&looked_at) == EBUSY;
  as_expected += pthread_rwlock_tryrdlock(&looked_at) == 0;
  // What the thread that forked holds, it releases on both sides.
  as_expected += pthread_mutex_trylock(&of_parent) == EBUSY;
  as_expected += pthread_mutex_unlock(&of_parent) == 0;
  as_expected += pthread_mutex_lock(&of_parent) == 0 && pthread_mutex_unlock(&of_parent) == 0;
  return as_expected;
}

int main(void) {
  pthread_spin_init(&spun, PTHREAD_PROCESS_PRIVATE);
  pthread_barrier_init(&held, NULL, 2);
  pthread_barrier_init(&forked, NULL, 2);
  pthread_t holder = start(hold);
  pthread_barrier_wait(&held);
  pthread_mutex_lock(&of_parent);
  pid_t child = fork();
  assert(child >= 0);
  if (child == 0) _exit(look());
  pthread_mutex_unlock(&of_parent);
  int status = 0;
  assert(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 8);
  pthread_barrier_wait(&forked);
  finish(holder);
  assert(pthread_mutex_trylock(&lock) == 0 && pthread_rwlock_trywrlock(&written) == 0);
  return 0;
}
