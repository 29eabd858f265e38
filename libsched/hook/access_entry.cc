// The fast path of an access. It is compiled so that it changes only the registers that a hook may
// change (see AccessHook and CMakeLists.txt). So it may only call functions that do the same; a
// test checks that (fast_entries_call_nobody).
#include "libsched/memory/private_access.h"
#include "libsched/process/runtime.h"

extern "C" {

// The entry of rff_slow_access in hook.cc, which preserves all registers. `code`: see Cell.
__attribute__((visibility("hidden"))) void rff_slow_access_entry(std::uint64_t address,
                                                                 std::uint32_t code);

// Arguments are in rdi, esi and rcx; rdx belongs to the program.
__attribute__((visibility("hidden"), flatten)) void rff_access_entry(std::uint64_t address,
                                                                     std::uint32_t site,
                                                                     std::uint64_t /*rdx*/,
                                                                     rff::hook::AccessHook* hook) {
  using rff::runtime;
  const rff::FastSite& fast = static_cast<rff::PatchedModule*>(hook)->fast[site];
  if (!runtime->run.accesses.private_access(
          runtime->run.shadow, runtime->run.execution.steps,
          runtime->run.execution.current_memory(), fast, address,
          reinterpret_cast<std::uint64_t>(__builtin_dwarf_cfa()) + rff::hook::kLiveAboveCall)) {
    rff_slow_access_entry(address, fast.code);
  }
}
}
