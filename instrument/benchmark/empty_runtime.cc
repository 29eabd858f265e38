// Preloaded by the benchmark: hooks that return at once, so that what is measured is the way there
// and back.
#include "instrument/patched_modules.h"

namespace {

__attribute__((target("general-regs-only"))) void OnAccess(std::uint64_t, std::uint32_t,
                                                           rff::hook::HookSlots*,
                                                           rff::hook::HookFrame*) {}
__attribute__((target("general-regs-only"))) int OnComplex(rff::hook::HookRegisters*, std::uint32_t,
                                                           rff::hook::HookSlots*) {
  return rff::hook::kExecuteInstruction;
}

__attribute__((constructor)) void Start() {
  rff::instrument::ForEachPatchedModule([](const rff::instrument::PatchedModule& module) {
    module.slots()->complex = reinterpret_cast<std::uint64_t>(&OnComplex);
    module.slots()->access = reinterpret_cast<std::uint64_t>(&OnAccess);
  });
}

}  // namespace
