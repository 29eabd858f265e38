// Transactions, begun and ended in different functions, with a lock for when they fail; the lock
// alone where the processor has none.
#include <cpuid.h>
#include <immintrin.h>
#include <stdatomic.h>
#include <stdio.h>

static atomic_int locked;
static long total;
static int can_transact;

__attribute__((noinline)) static int Begin(void) {
  for (int i = 0; can_transact && i < 3; i++) {
    if (_xbegin() == _XBEGIN_STARTED) {
      if (!locked) return 1;
      _xabort(1);
    }
  }
  while (atomic_exchange(&locked, 1)) {
  }
  return 0;
}

__attribute__((noinline)) static void End(int transaction) {
  if (transaction) {
    _xend();
  } else {
    atomic_store(&locked, 0);
  }
}

int main(void) {
  unsigned a, b, c, d;
  can_transact = __get_cpuid_count(7, 0, &a, &b, &c, &d) && (b & bit_RTM) != 0;
  for (int i = 0; i < 50; i++) {
    int transaction = Begin();
    total += i * (total & 3);
    total++;
    End(transaction);
  }
  printf("%ld %d\n", total, locked);
  return 0;
}
