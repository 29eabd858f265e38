// The fast paths of blocks and comparisons, for programs patched with --branches. Compiled as
// access_entry.cc is: they change only the registers that a hook may change.
#include "libsched/hook/branch_entry.h"

#include "libsched/process/runtime.h"
#include "libsched/support/inside_runtime.h"
#include "libsched/support/known_thread.h"

extern "C" {

// The entry of rff_comparison in hook.cc, which preserves all registers.
__attribute__((visibility("hidden"))) void rff_comparison_entry(std::uint64_t first,
                                                                std::uint32_t number,
                                                                std::uint64_t second,
                                                                rff::hook::AccessHook* hook);

// Arguments are in esi and rcx; rdi is meaningless, rdx belongs to the program.
__attribute__((visibility("hidden"), flatten)) void rff_fast_block(std::uint64_t /*rdi*/,
                                                                   std::uint32_t number,
                                                                   std::uint64_t /*rdx*/,
                                                                   rff::hook::AccessHook* hook) {
  using rff::runtime;
  if (rff::known_thread && !rff::InsideRuntime::active()) {
    const std::uint32_t first = static_cast<rff::BranchHook*>(hook)->module->first_branch;
    runtime->run.branches.enter_block(runtime->run.execution.current_memory(), first + number);
  }
}

__attribute__((visibility("hidden"), flatten)) void rff_fast_comparison(
    std::uint64_t first, std::uint32_t number, std::uint64_t second, rff::hook::AccessHook* hook) {
  using rff::runtime;
  const std::uint32_t base = static_cast<rff::BranchHook*>(hook)->module->first_branch;
  if (rff::known_thread && !rff::InsideRuntime::active() &&
      !runtime->run.branches.repeats(base + number, first, second)) {
    rff_comparison_entry(first, number, second, hook);
  }
}
}
