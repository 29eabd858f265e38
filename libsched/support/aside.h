// What depends on how a run is steered or watched, and not on what the program does, happens aside:
// on a stack and in memory of its own.
//
// The runtime works on the program's stacks, and programs read what they never wrote there (they
// copy structures with holes). What it leaves there must be the same whether a run is the first of
// its kind or a replay, comes from the fork server or is traced: else the program's memory differs.
#pragma once

#include <type_traits>

#include "libsched/support/arena.h"

namespace rff {

// The upper end of its stack, which prepare_aside maps.
inline constexpr unsigned long kAsideStack = 0x1f0000100000;
void prepare_aside();
inline constinit bool now_aside = false;

// Clears the stack below the caller, where what it called last has left its traces.
__attribute__((always_inline)) inline void wipe_stack_below(long bytes) {
  long words = bytes / 8;
  void* low;
  asm volatile("leaq (%%rsp, %[down]), %[low]" : [low] "=r"(low) : [down] "r"(-bytes));
  asm volatile("rep stosq" : "+D"(low), "+c"(words) : "a"(0L) : "memory");
}

// Calls `f` aside. Nothing in it may switch threads.
template <typename F>
void aside(F&& f) {
  if (now_aside) {
    f();
    return;
  }
  using Function = std::remove_reference_t<F>;
  void (*call)(Function*) = [](Function* function) { (*function)(); };
  unsigned long stack = kAsideStack;
  Function* argument = &f;
  now_aside = true;
  arena_in_use = Arena::kAside;
  asm volatile(
      "movq %%rsp, %%rbx\n\t"
      "movq %[stack], %%rsp\n\t"
      "call *%[call]\n\t"
      "movq %%rbx, %%rsp"
      : "+D"(argument), [stack] "+r"(stack), [call] "+r"(call)
      :
      : "rax", "rbx", "rcx", "rdx", "rsi", "r8", "r9", "r10", "r11", "memory", "cc");
  now_aside = false;
  arena_in_use = Arena::kMain;
}

}  // namespace rff
