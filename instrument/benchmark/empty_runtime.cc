// The benchmark preloads this runtime, whose hooks return at once, so that only the cost of
// reaching a hook is measured. With RFF_BENCH_FUNCTION the access hook is a function, for which
// registers are saved.
#include <cstdlib>

#include "instrument/patched_modules.h"
#include "schedule/hook_entry.h"

using namespace rff::hook;

RFF_ACCESS_ENTRY(function_entry, do_nothing);

namespace {

__attribute__((naked)) void return_at_once() { asm("ret"); }

AccessHook access_hook{return_at_once};

__attribute__((target("general-regs-only"))) int on_complex(HookRegisters*, std::uint32_t,
                                                            HookSlots*) {
  return kExecuteInstruction;
}

__attribute__((constructor)) void start() {
  if (std::getenv("RFF_BENCH_FUNCTION") != nullptr) {
    access_hook.enter = function_entry;
  }
  rff::instrument::for_each_patched_module([](const rff::instrument::PatchedModule& module) {
    module.slots()->complex = reinterpret_cast<std::uint64_t>(&on_complex);
    module.slots()->access = reinterpret_cast<std::uint64_t>(&access_hook);
  });
}

}  // namespace

extern "C" void do_nothing(std::uint64_t, std::uint32_t, AccessHook*) {}
