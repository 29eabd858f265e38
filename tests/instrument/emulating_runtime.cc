// A runtime preloaded into a patched program: emulates time stamps, random numbers and getpid.
#include "instrument/patched_modules.h"

namespace {

using namespace rff::hook;

rff::instrument::PatchedModule module;

__attribute__((target("general-regs-only"))) int on_complex(HookRegisters* registers,
                                                            std::uint32_t site, HookSlots*) {
  const SiteRecord& record = module.sites()[site];
  switch (record.kind) {
    case SiteKind::kTimestamp:
      registers->gpr[0] = 1234;
      registers->gpr[2] = 5;
      if (record.length == 3) {  // rdtscp
        registers->gpr[1] = 77;
      }
      return kSkipInstruction;
    case SiteKind::kRandom:
      registers->gpr[module.details()[record.detail].base_register] = 4;
      registers->rflags |= 1;
      return kSkipInstruction;
    case SiteKind::kSyscall: registers->gpr[0] = 4242; return kSkipInstruction;
    default: return kExecuteInstruction;
  }
}

__attribute__((constructor)) void start() {
  rff::instrument::for_each_patched_module(
      [](const rff::instrument::PatchedModule& found) { module = found; });
  module.slots()->complex = reinterpret_cast<std::uint64_t>(&on_complex);
}

}  // namespace
