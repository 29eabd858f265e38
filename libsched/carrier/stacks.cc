#include "libsched/carrier/stacks.h"

#include <sys/mman.h>
#include <sys/syscall.h>

#include <algorithm>
#include <iterator>

#include "libsched/support/arena.h"
#include "libsched/support/real.h"

namespace rff {
namespace {

constexpr std::uint64_t kGuard = 4096;
constexpr std::uint64_t kUsualStack = 8 << 20;
constexpr std::uint32_t kMostPrepared = 512;

}  // namespace

bool Stacks::take(const pthread_attr_t* attributes, Stack* stack) {
  std::uint64_t size = default_size();
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
  auto last =
      std::find_if(free_.rbegin(), free_.rend(), [&](const Free& f) { return f.size == size; });
  std::uint64_t mapping = 0;
  bool used = last != free_.rend();
  if (used) {
    mapping = last->mapping;
    free_.erase(std::next(last).base());
  } else {
    if (size != prepared_size_) {
      drop_prepared();
    }
    bool prepared = next() < prepared_;
    mapping = prepared ? next() : map(next(), size);
    if (mapping == 0) {
      return false;
    }
    used = prepared && used_;
    ++taken_;
    after_ = mapping + size + kGuard - places::kStacks;
    constexpr std::uint64_t kTop = std::uint64_t{2} * 4096;  // the least that a thread uses
    if (!used && !present_) {
      real::populate(mapping + kGuard + size - kTop, kTop);
    }
  }
  first_size_ = first_size_ != 0 ? first_size_ : size;
  *stack = {mapping + kGuard, mapping + kGuard + size, mapping, !used};
  return true;
}

void Stacks::make_room(std::uint64_t variables) {
  constexpr std::uint64_t kMuch = kUsualStack / 4;
  extra_ = variables < kMuch ? 0 : (variables + 4095) & ~std::uint64_t{4095};
}

std::uint64_t Stacks::default_size() const { return kUsualStack + extra_; }

// Maps memory at `place` if that is free. Returns 0 if there is no memory. Nothing is mapped below
// the stack: that guards as well as an inaccessible page, and a fork has half the mappings to copy.
std::uint64_t Stacks::map(std::uint64_t place, std::uint64_t size) {
  long at = real::syscall6(SYS_mmap, static_cast<long>(place + kGuard), static_cast<long>(size),
                           PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  return at < 0 ? 0 : static_cast<std::uint64_t>(at) - kGuard;
}

void Stacks::prepare(std::uint32_t count, std::uint64_t size) {
  size = size != 0 ? size : default_size();
  if (size != prepared_size_) {
    drop_prepared();
    prepared_size_ = size;
  }
  std::uint64_t end = next() + std::min(count, kMostPrepared) * (size + kGuard);
  std::uint64_t begin = std::max(prepared_, next());
  for (std::uint64_t place = begin; place < end; place = prepared_) {
    std::uint64_t mapping = map(place, size);
    if (mapping == 0) {
      return;
    }
    if (mapping != place) {
      real::syscall6(SYS_munmap, static_cast<long>(mapping + kGuard), static_cast<long>(size));
      return;
    }
    prepared_ = place + size + kGuard;
  }
}

// Unmaps prepared stacks: stacks of another size would displace the following ones.
void Stacks::drop_prepared() {
  if (next() < prepared_ && used_) {
    after_ = prepared_ - places::kStacks;  // later runs need them
  } else if (next() < prepared_) {
    real::syscall6(SYS_munmap, static_cast<long>(next()), static_cast<long>(prepared_ - next()));
    prepared_ = 0;
  }
}

void Stacks::end_run() {
  if (next() > prepared_) {
    real::syscall6(SYS_munmap, static_cast<long>(prepared_), static_cast<long>(next() - prepared_));
  }
}

void Stacks::give_back(const Stack& stack) {
  if (stack.mapping != 0) {
    free_.push_back({stack.mapping, stack.high - stack.low});
  }
}

Stacks& stacks() {
  union Immortal {  // outlives the program's exit handlers
    Stacks stacks;
    constexpr Immortal() : stacks() {}
    ~Immortal() {}
  };
  alignas(kOnBusyPage) static constinit Immortal all;
  return all.stacks;
}

}  // namespace rff
