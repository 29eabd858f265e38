// A race that ends in the kind of failure that its argument names.
#undef NDEBUG
#include <cassert>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <new>
#include <string>
#include <thread>

namespace shop {

template <typename Value>
struct Shelf {
  Value items = 0;
  std::mutex first, second;
  volatile bool closed = false;

  void take(Value wanted) {
    Value seen = items;
    items = seen + wanted;
  }
};

Shelf<long> shelf;

// An error of memory that rff-fuzz --check memory stops at.
void misuse_memory(const std::string& kind) {
  char* block = static_cast<char*>(std::malloc(16));
  char* volatile hidden = block;  // from the compiler
  volatile char* bytes = hidden;
  if (kind == "use-after-free") {
    std::free(block);
    bytes[0] = 1;
  } else if (kind == "heap-overflow") {
    bytes[16] = 1;
  } else if (kind == "heap-underflow") {
    bytes[-1] = 1;
  } else if (kind == "double-free") {
    std::free(block);
    std::free(hidden);
  } else if (kind == "invalid-free") {
    std::free(hidden + 8);
  } else if (kind == "mismatched-free") {
    ::operator delete(hidden);
  }
}

void fail(const std::string& kind) {
  if (kind == "assert") {
    assert(shelf.items == 2);
  } else if (kind == "crash" && shelf.items != 2) {
    *static_cast<volatile long*>(nullptr) = 1;
  } else if (kind == "hang" && shelf.items != 2) {
    while (!shelf.closed) {
    }
  } else if (kind == "exit" && shelf.items != 2) {
    std::exit(3);
  } else if (shelf.items != 2) {
    misuse_memory(kind);
  }
}

void lock_both(std::mutex& a, std::mutex& b) {
  std::lock_guard outer(a);
  std::lock_guard inner(b);
}

}  // namespace shop

int main(int argc, char** argv) {
  std::string kind = argc > 1 ? argv[1] : "";
  bool deadlock = kind == "deadlock";
  auto work = [&](std::mutex& a, std::mutex& b) {
    if (deadlock) {
      shop::lock_both(a, b);
    } else {
      shop::shelf.take(1);
    }
  };
  std::thread one([&] { work(shop::shelf.first, shop::shelf.second); });
  std::thread two([&] { work(shop::shelf.second, shop::shelf.first); });
  one.join();
  two.join();
  if (!deadlock) {
    shop::fail(kind);
  }
}
