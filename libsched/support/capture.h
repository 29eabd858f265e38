// Captures the current registers, so that an unwinder can follow the stack through the runtime into
// the program. Inline: the frame they describe must outlive the capture.
#pragma once

#include <cstdint>

namespace rff {

// Registers at the point where a thread stopped, as the program had them.
struct StopContext {
  std::uint64_t rip = 0, rsp = 0, rbp = 0, rbx = 0, r12 = 0, r13 = 0, r14 = 0, r15 = 0;
  bool operator==(const StopContext&) const = default;
};

__attribute__((always_inline)) inline void capture(StopContext& s) {
  asm volatile(
      "leaq 1f(%%rip), %%rax\n1:\n\t"
      "movq %%rax, 0(%0)\n\tmovq %%rsp, 8(%0)\n\tmovq %%rbp, 16(%0)\n\tmovq %%rbx, 24(%0)\n\t"
      "movq %%r12, 32(%0)\n\tmovq %%r13, 40(%0)\n\tmovq %%r14, 48(%0)\n\tmovq %%r15, 56(%0)"
      :
      : "r"(&s)
      : "rax", "memory");
}

}  // namespace rff
