// Generates entries of a hook::AccessHook that leave the program's stack as it was: programs read
// what lies below their stack pointer, and which accesses come here depends on whether a run is
// traced.
#pragma once

#include "libsched/support/places.h"
#include "schedule/hook_entry.h"

namespace rff::hook {
// How far an access has come without the program's stack.
enum Entered : int {
  kDone = 0,
  kStops = 1,    // the thread stops for it
  kMayStop = 2,  // nothing has happened yet
};
static_assert(places::kHookStackEnd == 0x2e4007f50000);  // the assembler needs a number
}  // namespace rff::hook

// Bodies are
//   extern "C" int body(std::uint64_t address, std::uint32_t site, rff::hook::AccessHook* hook);
// and find their entry's frame as RFF_ENTRY_FRAME says.

// Defines `entry`, a HookSlots::access, which calls `body`. That returns 0 if the thread has not
// stopped. Then the words below the entry's stack pointer are put back; `body` may use 1,536 bytes.
// Otherwise what it has left there is cleared.
#define RFF_QUIET_ACCESS_ENTRY(entry, body) \
  RFF_QUIET_BODY(body);                     \
  RFF_QUIET_CODE(entry, "", body)

// The same, but first calls `shortcut`, with the same arguments, on a stack for hooks. That must
// not stop the thread. It returns an hook::Entered, and keeps what the bodies need, which get
// nothing: `stopping` is one like `body` after which nothing is put back. Requires: no other kernel
// thread enters at the same time.
#define RFF_SHORTCUT_ACCESS_ENTRY(entry, shortcut, stopping, body)       \
  RFF_QUIET_BODY(shortcut);                                              \
  extern "C" __attribute__((visibility("hidden"), used)) int stopping(); \
  extern "C" __attribute__((visibility("hidden"), used)) int body();     \
  RFF_QUIET_CODE(entry,                                                  \
                 "movabsq $0x2e4007f50000, %rsp\n"                       \
                 "call " #shortcut                                       \
                 "\n"                                                    \
                 "leaq -56(%rbp), %rsp\n"                                \
                 "testl %eax, %eax\n"                                    \
                 "jz 2f\n"                                               \
                 "decl %eax\n"                                           \
                 "jnz 5f\n"                                              \
                 "andq $-16, %rsp\n"                                     \
                 "call " #stopping                                       \
                 "\n"                                                    \
                 "leaq -1536(%rsp), %rdi\n"                              \
                 "movl $192, %ecx\n"                                     \
                 "jmp 1f\n"                                              \
                 "5:\n",                                                 \
                 body)

#define RFF_QUIET_BODY(body)                                                                    \
  extern "C" __attribute__((visibility("hidden"), used)) int body(std::uint64_t, std::uint32_t, \
                                                                  rff::hook::AccessHook*)

#define RFF_QUIET_RESTORE                                                                  \
  "testb $4, -55(%rbp)\n" /* the direction flag */                                         \
  "jz 4f\n"                                                                                \
  "std\n"                                                                                  \
  "4:\n"                                                                                   \
  "movq -48(%rbp), %r11\nmovq -40(%rbp), %r10\nmovq -32(%rbp), %r9\nmovq -24(%rbp), %r8\n" \
  "movq -16(%rbp), %rdx\nmovq -8(%rbp), %rax\n"

#define RFF_QUIET_CODE(entry, shortcut, body)                                                 \
  extern "C" __attribute__((visibility("hidden"))) void entry();                              \
  asm(".pushsection rff_entries, \"ax\", @progbits\n"                                         \
      ".globl " #entry "\n.hidden " #entry "\n.type " #entry ", @function\n" #entry           \
      ":\n"                                                                                   \
      ".cfi_startproc\n"                                                                      \
      "leaq -64(%rsp), %rsp\n.cfi_def_cfa_offset 72\n"                                        \
      ".irp word, 0, 8, 16, 24, 32, 40, 48, 56\n"                                             \
      "popq rff_kept_words+\\word(%rip)\n.cfi_adjust_cfa_offset -8\n"                         \
      ".endr\n"                                                                               \
      "pushq %rbp\n.cfi_def_cfa_offset 16\n.cfi_offset rbp, -16\n"                            \
      "movq %rsp, %rbp\n.cfi_def_cfa_register rbp\n"                                          \
      "pushq %rax\n.cfi_offset rax, -24\n"                                                    \
      "pushq %rdx\n.cfi_offset rdx, -32\n"                                                    \
      "pushq %r8\n.cfi_offset r8, -40\n"                                                      \
      "pushq %r9\n.cfi_offset r9, -48\n"                                                      \
      "pushq %r10\n.cfi_offset r10, -56\n"                                                    \
      "pushq %r11\n.cfi_offset r11, -64\n"                                                    \
      "pushfq\n"                                                                              \
      "andl $0x400, (%rsp)\n"                                                                 \
      "cld\n"                                                                                 \
      "movq %rcx, %rdx\n" shortcut                                                            \
      "andq $-16, %rsp\n"                                                                     \
      "movq %rdi, %rax\n"                                                                     \
      "movl %esi, %r8d\n"                                                                     \
      "leaq -1536(%rsp), %rsi\nleaq rff_kept_below(%rip), %rdi\nmovl $192, %ecx\nrep movsq\n" \
      "movq %rax, %rdi\n"                                                                     \
      "movl %r8d, %esi\n"                                                                     \
      "call " #body                                                                           \
      "\n"                                                                                    \
      "leaq -1536(%rsp), %rdi\n"                                                              \
      "movl $192, %ecx\n"                                                                     \
      "testl %eax, %eax\n"                                                                    \
      "jnz 1f\n"                                                                              \
      "leaq rff_kept_below(%rip), %rsi\nrep movsq\n"                                          \
      "2:\n" RFF_QUIET_RESTORE                                                                \
      ".cfi_remember_state\n"                                                                 \
      "leave\n.cfi_def_cfa rsp, 8\n"                                                          \
      ".irp word, 56, 48, 40, 32, 24, 16, 8, 0\n"                                             \
      "pushq rff_kept_words+\\word(%rip)\n.cfi_adjust_cfa_offset 8\n"                         \
      ".endr\n"                                                                               \
      "leaq 64(%rsp), %rsp\n.cfi_def_cfa_offset 8\n"                                          \
      "ret\n"                                                                                 \
      ".cfi_restore_state\n"                                                                  \
      "1:\n"                                                                                  \
      "xorl %eax, %eax\nrep stosq\n" RFF_QUIET_RESTORE                                        \
      "leave\n.cfi_def_cfa rsp, 8\n"                                                          \
      "ret\n"                                                                                 \
      ".cfi_endproc\n"                                                                        \
      ".size " #entry ", . - " #entry                                                         \
      "\n"                                                                                    \
      ".popsection\n")
