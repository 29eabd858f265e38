#include "libsched/carrier/stacks.h"

#include <sys/mman.h>
#include <sys/syscall.h>

#include "libsched/support/real.h"

namespace rff {
namespace {

constexpr std::uint64_t kGuard = 4096;
constexpr std::uint64_t kDefaultStack = 8 << 20;

}  // namespace

bool Stacks::take(const pthread_attr_t* attributes, Stack* stack) {
  std::uint64_t size = kDefaultStack;
  void* given = nullptr;
  std::size_t wanted = 0;
  if (attributes != nullptr && pthread_attr_getstack(attributes, &given, &wanted) == 0) {
    if (given != nullptr && given != reinterpret_cast<void*>(-wanted)) {
      auto low = reinterpret_cast<std::uint64_t>(given);
      *stack = {low, low + wanted, 0};
      return true;
    }
    if (wanted != 0) {
      size = (wanted + 4095) & ~std::uint64_t{4095};
    }
  }
  auto& free_list = free_[size];
  std::uint64_t mapping = 0;
  if (!free_list.empty()) {
    mapping = free_list.back();
    free_list.pop_back();
  } else {
    long bytes = static_cast<long>(size + kGuard);
    long place = real::syscall6(SYS_mmap, next_, bytes, PROT_READ | PROT_WRITE,
                                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
    if (place < 0) {
      return false;
    }
    real::syscall6(SYS_mprotect, place, kGuard, PROT_NONE);
    mapping = static_cast<std::uint64_t>(place);
    next_ = place + bytes;
  }
  *stack = {mapping + kGuard, mapping + kGuard + size, mapping};
  return true;
}

void Stacks::give_back(const Stack& stack) {
  if (stack.mapping != 0) {
    free_[stack.high - stack.low].push_back(stack.mapping);
  }
}

Stacks& stacks() {
  static auto* all = new Stacks;
  return *all;
}

}  // namespace rff
