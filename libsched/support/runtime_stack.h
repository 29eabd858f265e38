// Runs functions on a stack of the runtime and with an arena of its own. Use it for everything that
// depends on how a run is steered or watched, and not on what the program does.
//
// The runtime works on the program's stacks, and programs read uninitialized parts of them (they
// copy structures with holes). So its traces there must be the same whether a run is the first of
// its kind or a replay, comes from the fork server or is traced: otherwise the program's memory
// differs.
#pragma once

#include <type_traits>

#include "libsched/support/arena.h"
#include "libsched/support/places.h"

namespace rff {

void prepare_runtime_stack();
alignas(kOnBusyPage) inline constinit bool now_on_runtime_stack = false;

// The bytes of stack that a step of a thread may use: to have its effect, to record and trace it.
inline constexpr long kStepDepth = 1024;

// Clears the stack below the caller, where the last call has left its traces, and the registers
// that it need not restore: functions with any number of arguments store all that could be one.
__attribute__((always_inline)) inline void wipe_stack_below(long bytes) {
  long words = bytes / 8;
  void* low;
  asm volatile("leaq (%%rsp, %[down]), %[low]" : [low] "=r"(low) : [down] "r"(-bytes));
  asm volatile(
      "rep stosq\n\t"
      "xorl %%edx, %%edx\n\t"
      "xorl %%esi, %%esi\n\t"
      "xorl %%edi, %%edi\n\t"
      "xorl %%r8d, %%r8d\n\t"
      "xorl %%r9d, %%r9d\n\t"
      "xorl %%r10d, %%r10d\n\t"
      "xorl %%r11d, %%r11d"
      : "+D"(low), "+c"(words)
      : "a"(0L)
      : "rdx", "rsi", "r8", "r9", "r10", "r11", "memory", "cc");
}

// Calls `f` on the runtime's stack. `f` must not switch threads.
template <typename F>
void on_runtime_stack(F&& f) {
  if (now_on_runtime_stack) {
    f();
    return;
  }
  using Function = std::remove_reference_t<F>;
  void (*call)(Function*) = [](Function* function) { (*function)(); };
  long stack = places::kRuntimeStackEnd;
  Function* argument = &f;
  now_on_runtime_stack = true;
  arena_in_use = Arena::kRuntimeStack;
  asm volatile(
      "movq %%rsp, %%rbx\n\t"
      "movq %[stack], %%rsp\n\t"
      "call *%[call]\n\t"
      "movq %%rbx, %%rsp\n\t"
      // Register contents reach the program's stack, too: the loader saves them there while it
      // looks up a function at its first call.
      "xorl %%ecx, %%ecx\n\t"
      "xorl %%edx, %%edx\n\t"
      "xorl %%esi, %%esi\n\t"
      "xorl %%edi, %%edi\n\t"
      "xorl %%r8d, %%r8d\n\t"
      "xorl %%r9d, %%r9d\n\t"
      "xorl %%r10d, %%r10d\n\t"
      "xorl %%r11d, %%r11d"
      : "+D"(argument), [stack] "+r"(stack), [call] "+r"(call)
      :
      : "rax", "rbx", "rcx", "rdx", "rsi", "r8", "r9", "r10", "r11", "memory", "cc");
  now_on_runtime_stack = false;
  arena_in_use = Arena::kMain;
}

}  // namespace rff
