// A function-local static is built once, and complete for whoever gets it.
#include <cassert>
#include <thread>

namespace {
int built = 0;
struct Table {
  Table() {
    built++;
    for (int i = 0; i < 4; i++) entry[i] = i;
  }
  int entry[4];
};
Table& table() {
  static Table instance;
  return instance;
}
}  // namespace

int main() {
  auto use = [] {
    for (int i = 0; i < 4; i++) assert(table().entry[i] == i);
  };
  std::thread a(use), b(use), c(use);
  a.join();
  b.join();
  c.join();
  assert(built == 1);
}
