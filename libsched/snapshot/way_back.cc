#include "libsched/snapshot/way_back.h"

#include <cstddef>

#include "libsched/snapshot/unwatched.h"

namespace rff {

static_assert(offsetof(Registers, rip) == 56 && offsetof(Registers, fs_base) == 64 &&
              offsetof(Registers, vector_control) == 72 && offsetof(Registers, x87_control) == 76);

asm(R"(
  .text
  .hidden rff_save_registers, rff_go_back, rff_call_on_stack
  .globl rff_save_registers, rff_go_back, rff_call_on_stack
  .type rff_save_registers, @function
rff_save_registers:
  movq %rbx, 0(%rdi)
  movq %rbp, 8(%rdi)
  movq %r12, 16(%rdi)
  movq %r13, 24(%rdi)
  movq %r14, 32(%rdi)
  movq %r15, 40(%rdi)
  leaq 8(%rsp), %rax
  movq %rax, 48(%rdi)
  movq (%rsp), %rax
  movq %rax, 56(%rdi)
  rdfsbase %rax
  movq %rax, 64(%rdi)
  stmxcsr 72(%rdi)
  fnstcw 76(%rdi)
  xorl %eax, %eax
  ret
  .size rff_save_registers, . - rff_save_registers

  .type rff_go_back, @function
rff_go_back:
  movq 64(%rdi), %rax
  wrfsbase %rax
  fninit
  fldcw 76(%rdi)
  ldmxcsr 72(%rdi)
  cld
  movq 0(%rdi), %rbx
  movq 8(%rdi), %rbp
  movq 16(%rdi), %r12
  movq 24(%rdi), %r13
  movq 32(%rdi), %r14
  movq 40(%rdi), %r15
  movq 48(%rdi), %rsp
  movl $1, %eax
  jmp *56(%rdi)
  .size rff_go_back, . - rff_go_back

  .type rff_call_on_stack, @function
rff_call_on_stack:
  movq %rsi, %rsp
  xorl %ebp, %ebp
  call *%rdi
  ud2
  .size rff_call_on_stack, . - rff_call_on_stack

  .hidden rff_unwatched_begin, rff_unwatched_end, rff_unwatched_call, rff_unwatched_return
  .globl rff_unwatched_begin, rff_unwatched_end, rff_unwatched_call, rff_unwatched_return
  .hidden rff_return_from_signal
  .globl rff_return_from_signal
rff_unwatched_begin:
  .type rff_unwatched_call, @function
rff_unwatched_call:
  movq %rdi, %rax
  movq %rsi, %rdi
  movq %rdx, %rsi
  movq %rcx, %rdx
  movq %r8, %r10
  movq %r9, %r8
  movq 8(%rsp), %r9
  syscall
  ret
  .size rff_unwatched_call, . - rff_unwatched_call
  nop
  .type rff_return_from_signal, @function
rff_return_from_signal:
  movq %rdi, %rsp
  .size rff_return_from_signal, . - rff_return_from_signal
  .type rff_unwatched_return, @function
rff_unwatched_return:
  movq $15, %rax
  syscall
  ud2
  .size rff_unwatched_return, . - rff_unwatched_return
rff_unwatched_end:
)");

}  // namespace rff
