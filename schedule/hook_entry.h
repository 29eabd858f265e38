// Generates the entry of a hook::AccessHook that calls an ordinary function.
#pragma once

#include "schedule/hook.h"
#include "schedule/joined.h"

// Used in a body: the frame of its entry. The registers that the entry has saved lie below it, in
// that many bytes. Below them lies the direction flag of the program, and none of its other flags,
// which depend on the way to the entry: programs read what lies on their stacks.
#define RFF_ENTRY_FRAME (*static_cast<const std::uint64_t*>(__builtin_frame_address(0)))
namespace rff::hook {
inline constexpr std::uint64_t kEntrySaves = std::uint64_t{6} * 8;
// See is_dead. Below the frame lie the caller's rbp and the return address.
inline std::uint64_t live_from_entry(std::uint64_t frame) { return frame + 16 + kLiveAboveCall; }
}  // namespace rff::hook

// Defines `entry`, a HookSlots::comparison, which calls
//   extern "C" void body(std::uint64_t first, std::uint32_t number, std::uint64_t second,
//                        rff::hook::AccessHook* hook);
#define RFF_COMPARISON_ENTRY(entry, body)                                   \
  extern "C" __attribute__((visibility("hidden"), used)) void body(         \
      std::uint64_t, std::uint32_t, std::uint64_t, rff::hook::AccessHook*); \
  RFF_ENTRY_CODE(entry, body, "")

// Defines `entry`, a HookSlots::access, which calls
//   extern "C" void body(std::uint64_t address, std::uint32_t site, rff::hook::AccessHook* hook);
#define RFF_ACCESS_ENTRY(entry, body)                                                            \
  extern "C" __attribute__((visibility("hidden"), used)) void body(std::uint64_t, std::uint32_t, \
                                                                   rff::hook::AccessHook*);      \
  RFF_ENTRY_CODE(entry, body, "movq %rcx, %rdx\n")

// `body` must not change vector and x87 state. What it leaves on the stack is cleared: it depends
// on whether the run is traced, and programs read what lies on their stacks. The entry's callers
// restore rdi and rcx. The entry saves everything else that a function may change. `arguments`:
// instructions that move them to where the body wants them.
#define RFF_ENTRY_CODE(entry, body, arguments)                                                 \
  extern "C" __attribute__((visibility("hidden"))) void entry();                               \
  asm(".pushsection .text\n"                                                                   \
      ".globl " #entry "\n.hidden " #entry "\n.type " #entry ", @function\n" #entry            \
      ":\n"                                                                                    \
      ".cfi_startproc\n"                                                                       \
      "pushq %rbp\n.cfi_def_cfa_offset 16\n.cfi_offset rbp, -16\n"                             \
      "movq %rsp, %rbp\n.cfi_def_cfa_register rbp\n"                                           \
      "pushq %rax\n.cfi_offset rax, -24\n"                                                     \
      "pushq %rdx\n.cfi_offset rdx, -32\n"                                                     \
      "pushq %r8\n.cfi_offset r8, -40\n"                                                       \
      "pushq %r9\n.cfi_offset r9, -48\n"                                                       \
      "pushq %r10\n.cfi_offset r10, -56\n"                                                     \
      "pushq %r11\n.cfi_offset r11, -64\n"                                                     \
      "pushfq\n"                                                                               \
      "andl $0x400, (%rsp)\n"                                                                  \
      "cld\n" arguments                                                                        \
      "andq $-16, %rsp\n"                                                                      \
      "call " #body                                                                            \
      "\n"                                                                                     \
      "leaq -1024(%rsp), %rdi\nmovl $128, %ecx\nxorl %eax, %eax\nrep stosq\n"                  \
      "testb $4, -55(%rbp)\n" /* the direction flag */                                         \
      "jz 1f\n"                                                                                \
      "std\n"                                                                                  \
      "1:\n"                                                                                   \
      "movq -48(%rbp), %r11\nmovq -40(%rbp), %r10\nmovq -32(%rbp), %r9\nmovq -24(%rbp), %r8\n" \
      "movq -16(%rbp), %rdx\nmovq -8(%rbp), %rax\n"                                            \
      "leave\n.cfi_def_cfa rsp, 8\n"                                                           \
      "ret\n"                                                                                  \
      ".cfi_endproc\n"                                                                         \
      ".size " #entry ", . - " #entry                                                          \
      "\n"                                                                                     \
      ".popsection\n")
