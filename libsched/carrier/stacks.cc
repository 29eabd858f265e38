#include "libsched/carrier/stacks.h"

#include <sys/mman.h>
#include <sys/syscall.h>

#include <algorithm>

#include "libsched/support/real.h"

namespace rff {
namespace {

constexpr std::uint64_t kGuard = 4096;
constexpr std::uint64_t kDefaultStack = 8 << 20;
constexpr std::uint32_t kMostPrepared = 512;

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
    if (size != kDefaultStack) {
      drop_prepared();
    }
    mapping = next_ < prepared_ ? next_ : map(next_, size);
    if (mapping == 0) {
      return false;
    }
    next_ = mapping + size + kGuard;
  }
  *stack = {mapping + kGuard, mapping + kGuard + size, mapping};
  return true;
}

// At `place` if that is free. 0: no memory. Below the stack nothing is mapped: that guards as well
// as a page that nobody may touch, and a fork has half the mappings to copy.
std::uint64_t Stacks::map(std::uint64_t place, std::uint64_t size) {
  long at = real::syscall6(SYS_mmap, static_cast<long>(place + kGuard), static_cast<long>(size),
                           PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  return at < 0 ? 0 : static_cast<std::uint64_t>(at) - kGuard;
}

void Stacks::prepare(std::uint32_t count) {
  std::uint64_t end = next_ + std::min(count, kMostPrepared) * (kDefaultStack + kGuard);
  for (prepared_ = std::max(prepared_, next_); prepared_ < end;) {
    std::uint64_t mapping = map(prepared_, kDefaultStack);
    if (mapping != prepared_) {
      real::syscall6(SYS_munmap, static_cast<long>(mapping + kGuard), kDefaultStack);
      return;
    }
    prepared_ += kDefaultStack + kGuard;
  }
}

// Stacks of another size would push those to come out of place.
void Stacks::drop_prepared() {
  if (next_ < prepared_) {
    real::syscall6(SYS_munmap, static_cast<long>(next_), static_cast<long>(prepared_ - next_));
    prepared_ = 0;
  }
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
