#include "libsched/report/signal_stacks.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "libsched/support/real.h"

namespace rff::signal_stacks {
namespace {

// The kernel begins at the top of the stack that it was told of, also where frames of an earlier
// handler are, if that has gone on on another stack. So a kernel thread has several, and the kernel
// is told of one that is free.
constexpr std::size_t kStacks = 4, kStack = 1 << 16;

struct OwnStacks {
  OwnStacks* next;
  // The program's stacks that their handlers have gone to.
  const void* keepers[kStacks];
  char memory[kStacks][kStack];

  bool contains(const void* place) const {
    auto* byte = static_cast<const char*>(place);
    return byte >= memory[0] && byte < memory[0] + sizeof memory;
  }
  std::size_t first_free() const {
    return static_cast<std::size_t>(std::find(keepers, keepers + kStacks, nullptr) - keepers);
  }
  void give_up(const void* keeper) {
    for (const void*& k : keepers) {
      k = k == keeper ? nullptr : k;
    }
  }
  long tell_kernel(std::size_t which) {
    stack_t stack = {};
    stack.ss_sp = memory[which];
    stack.ss_size = kStack;
    return RFF_REAL(sigaltstack)(&stack, nullptr);
  }
};

OwnStacks* all = nullptr;

OwnStacks* own_stacks_at(const void* place) {
  OwnStacks* s = all;
  while (s != nullptr && !s->contains(place)) {
    s = s->next;
  }
  return s;
}

// Calls `f` with the stack pointer at `end`. Frames can be unwound across this one, which is found
// by its frame pointer.
__attribute__((noinline)) void call_at(std::uint64_t end, void (*f)(void*), void* argument) {
  asm volatile(
      "movq %%rsp, %%rbx\n\t"
      "movq %[end], %%rsp\n\t"
      "call *%[call]\n\t"
      "movq %%rbx, %%rsp"
      : "+D"(argument), [end] "+r"(end), [call] "+r"(f)
      :
      : "rax", "rbx", "rcx", "rdx", "rsi", "r8", "r9", "r10", "r11", "memory", "cc");
}

struct Call {
  void (*f)(void*);
  void* argument;
  OwnStacks* own;
  std::size_t next;  // the stack for signals that arrive meanwhile
};

// The kernel refuses another stack while it is called on its present one.
void tell_and_call(void* call) {
  const Call& c = *static_cast<Call*>(call);
  c.own->tell_kernel(c.next);
  c.f(c.argument);
}

}  // namespace

void use_own() {
  auto* own = new OwnStacks;  // its pages stay untouched until a signal comes
  own->next = all;
  std::fill(own->keepers, own->keepers + kStacks, nullptr);
  all = own;
  own->tell_kernel(0);
}

bool is_own(const void* place) { return own_stacks_at(place) != nullptr; }

void call_on(const stack_t& stack, void (*f)(void*), void* argument) {
  auto* here = static_cast<const char*>(__builtin_frame_address(0));
  OwnStacks* own = own_stacks_at(here);
  if (own == nullptr) {
    f(argument);
    return;
  }
  // An earlier handler of this stack has jumped away: the stack pointer was outside of it.
  own->give_up(stack.ss_sp);
  std::size_t current = static_cast<std::size_t>(here - own->memory[0]) / kStack;
  own->keepers[current] = stack.ss_sp;
  Call call = {f, argument, own, own->first_free()};
  // The kernel refuses this; but a run in place retires at the call, whose signal would arrive on
  // the present stack if the call came from another one.
  if (call.next == kStacks || own->tell_kernel(call.next) == 0) {
    own->give_up(stack.ss_sp);
    f(argument);
    return;
  }
  std::uint64_t end = (reinterpret_cast<std::uint64_t>(stack.ss_sp) + stack.ss_size) & ~15ULL;
  call_at(end, tell_and_call, &call);
  own->keepers[current] = nullptr;
  own->tell_kernel(current);
}

}  // namespace rff::signal_stacks
