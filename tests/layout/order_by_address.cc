// Two threads lock two objects in the order of a hash of their addresses, but one of them the other
// way round: which one of the objects comes first, and with it every deadlock, depends on
// addresses. With "pipe" one is open before the first thread, with "unlink" the program's file is
// gone by then.
#include <unistd.h>

#include <cstdint>
#include <mutex>
#include <set>
#include <string>
#include <thread>

namespace {

struct Account {
  std::mutex mutex;
  long balance = 0;
  Account* partner = nullptr;
};

std::uint64_t hash(const Account* a) {
  return (reinterpret_cast<std::uint64_t>(a) >> 4) * 0x9e3779b97f4a7c15ULL;
}

void transfer(Account* from, Account* to, bool careless) {
  bool first = hash(from) < hash(to);
  if (first != careless) {
    std::swap(from, to);
  }
  for (int i = 0; i < 3; ++i) {
    std::lock_guard<std::mutex> one(from->mutex);
    from->partner = to;
    std::lock_guard<std::mutex> other(to->mutex);
    to->balance += static_cast<long>(hash(from->partner) & 0xff);
  }
}

}  // namespace

int main(int argc, char** argv) {
  std::string mode = argc > 1 ? argv[1] : "";
  int ends[2];
  if ((mode == "pipe" && pipe(ends) != 0) || (mode == "unlink" && unlink(argv[0]) != 0)) {
    return 1;
  }
  std::set<Account*> accounts = {new Account, new Account};
  Account* a = *accounts.begin();
  Account* b = *accounts.rbegin();
  std::thread one(transfer, a, b, false);
  std::thread other(transfer, b, a, hash(a) > 0);
  one.join();
  other.join();
  return 0;
}
