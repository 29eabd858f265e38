// A program that replaces operator new, but none of the others: the library's delete takes blocks
// of the program's new.
#include <cstdlib>
#include <new>
#include <thread>

void* operator new(std::size_t size) {
  void* block = std::malloc(size);
  if (block == nullptr) {
    std::abort();
  }
  return block;
}

int main() {
  auto use = [] {
    int* volatile one = new int(1);
    int* volatile many = new int[4]();
    delete one;
    delete[] many;
  };
  std::thread other(use);
  use();
  other.join();
}
