// The fast path of an access. It is compiled so that it changes only the registers that a hook may
// change (see AccessHook and CMakeLists.txt). So it may only call functions that do the same; a
// test checks that (fast_entries_call_nobody).
//
// It runs on a stack of its own. Programs read what lies below their stack pointer, and a run that
// is traced, or whose code checks groups of accesses, does not take this path.
#include "libsched/hook/access_entry.h"

#include "libsched/memory/private_access.h"
#include "libsched/process/runtime.h"

extern "C" {

// Goes on with the slow path, whose entries in hook.cc preserve all registers, on the stack of who
// called the fast path. `code`: see Cell.
__attribute__((visibility("hidden"))) void rff_slow_access_after(std::uint64_t address,
                                                                 std::uint32_t code);

// Arguments are in rdi, esi and rcx; rdx belongs to the program. The stack pointer of the entry
// lies above the return address.
__attribute__((visibility("hidden"), flatten, used)) void rff_fast_access(
    std::uint64_t address, std::uint32_t site, std::uint64_t /*rdx*/, rff::hook::AccessHook* hook) {
  using rff::runtime;
  const rff::FastSite& fast = static_cast<rff::PatchedModule*>(hook)->fast[site];
  const auto* entered_with = static_cast<const std::uint64_t*>(__builtin_dwarf_cfa());
  if (!runtime->run.accesses.private_access(runtime->run.shadow, runtime->run.execution.steps,
                                            runtime->run.execution.current_memory(), fast, address,
                                            entered_with)) {
    rff_slow_access_after(address, fast.code);
  }
}
}

// The slot keeps the stack pointer of whoever entered (support/hook_stacks.h). With kernel threads
// some that are not the program's may enter at any time: whoever finds the stack in use stays on
// its own one.
asm(R"(
  .pushsection rff_entries, "ax", @progbits
  .globl rff_access_entry
  .hidden rff_access_entry
  .type rff_access_entry, @function
rff_access_entry:
  .cfi_startproc
  movq %rsp, rff_fast_slot(%rip)
  leaq rff_fast_slot(%rip), %rsp
  .cfi_remember_state
  .cfi_escape 0x0f, 0x05, 0x77, 0x00, 0x06, 0x23, 0x08
  call rff_fast_access
  popq %rsp
  .cfi_restore_state
  ret
  .cfi_endproc
  .size rff_access_entry, . - rff_access_entry

  .globl rff_shared_access_entry
  .hidden rff_shared_access_entry
  .type rff_shared_access_entry, @function
rff_shared_access_entry:
  .cfi_startproc
  lock btsl $0, rff_fast_stack_used(%rip)
  jc 1f
  movq %rsp, rff_fast_slot(%rip)
  leaq rff_fast_slot(%rip), %rsp
  .cfi_remember_state
  .cfi_escape 0x0f, 0x05, 0x77, 0x00, 0x06, 0x23, 0x08
  call rff_fast_access
  popq %rsp
  .cfi_restore_state
  movl $0, rff_fast_stack_used(%rip)
  ret
1:
  pushq %rsp
  .cfi_adjust_cfa_offset 8
  call rff_fast_access
  popq %rsp
  .cfi_adjust_cfa_offset -8
  ret
  .cfi_endproc
  .size rff_shared_access_entry, . - rff_shared_access_entry

  .hidden rff_slow_access_after
  .type rff_slow_access_after, @function
rff_slow_access_after:
  leaq rff_fast_slot-8(%rip), %rcx
  cmpq %rcx, %rsp
  movq 8(%rsp), %rsp
  jne rff_shared_slow_access_entry
  btrl $0, rff_fast_stack_used(%rip)
  jc rff_shared_slow_access_entry
  jmp rff_slow_access_entry
  .size rff_slow_access_after, . - rff_slow_access_after
  .popsection
)");
