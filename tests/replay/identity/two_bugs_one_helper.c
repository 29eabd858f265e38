// Two bugs end in one helper. The lost update needs a thread to be stopped between its read and its
// write; that one thread finishes before the other has begun needs nothing.
#include <pthread.h>
#include <stdlib.h>

static int counter;
static int open_accounts;

static void check(int holds) {
  if (!holds) {
    abort();
  }
}

static void* deposit(void* unused) {
  int seen = counter;
  counter = seen + 1;
  return unused;
}

static void* first_deposit(void* unused) {
  deposit(unused);
  check(open_accounts);  // the other thread opens it
  return unused;
}

static void* second_deposit(void* unused) {
  open_accounts = 1;
  return deposit(unused);
}

static void no_deposit_is_lost(void) { check(counter == 2); }

int main(void) {
  pthread_t first, second;
  pthread_create(&first, NULL, first_deposit, NULL);
  pthread_create(&second, NULL, second_deposit, NULL);
  pthread_join(first, NULL);
  pthread_join(second, NULL);
  no_deposit_is_lost();
  return 0;
}
