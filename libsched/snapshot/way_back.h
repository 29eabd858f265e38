// Where a run in place begins: the registers that a function may rely on, and the way back to them
// from anywhere.
#pragma once

#include <cstdint>

namespace rff {

struct Registers {
  std::uint64_t rbx, rbp, r12, r13, r14, r15, rsp, rip, fs_base;
  std::uint32_t vector_control;  // MXCSR
  std::uint16_t x87_control;
};

extern "C" {
// Returns 0. After rff_go_back it returns 1, in the same frame.
__attribute__((visibility("hidden"), returns_twice)) int rff_save_registers(Registers* to);
[[noreturn]] __attribute__((visibility("hidden"))) void rff_go_back(const Registers* to);
// Returns from the signal handler whose frame is at the top of this stack.
[[noreturn]] __attribute__((visibility("hidden"))) void rff_return_from_signal(long stack);
// Calls a function on another stack.
[[noreturn]] __attribute__((visibility("hidden"))) void rff_call_on_stack(void (*function)(),
                                                                          long stack_end);
}

}  // namespace rff
