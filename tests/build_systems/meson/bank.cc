// Two threads add to a balance; with RIGHT under a lock.
#include <mutex>
#include <thread>

static long balance;
static std::mutex balance_mutex;

static void deposit() {
#ifdef RIGHT
  std::lock_guard guard(balance_mutex);
#endif
  long seen = balance;
  balance = seen + 1;
}

int main() {
  std::thread one(deposit), two(deposit);
  one.join();
  two.join();
  return balance == 2 ? 0 : 1;
}
