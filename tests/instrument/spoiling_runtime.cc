// A preloaded runtime for tests: its hooks do all that the contract allows. They overwrite
// the three registers that all are given and set the arithmetic flags to RFF_TEST_FLAGS (hex).
#include <cstdlib>

#include "instrument/patched_modules.h"

using namespace rff::hook;

namespace {

struct SpoilingHook {
  AccessHook hook;
  std::uint64_t flags;
};

__attribute__((naked)) void spoil() {
  asm("movq 8(%rcx), %rcx\n"
      "pushfq\n"
      "andq $~0x8d5, (%rsp)\n"
      "orq %rcx, (%rsp)\n"
      "movl $-1, %ecx\n"
      "movl $-1, %esi\n"
      "movl $-1, %edi\n"
      "popfq\n"
      "ret");
}

SpoilingHook spoiling_hook{{spoil}, 0};

__attribute__((target("general-regs-only"))) int on_complex(HookRegisters*, std::uint32_t,
                                                            HookSlots*) {
  return kExecuteInstruction;
}

__attribute__((constructor)) void start() {
  if (const char* flags = std::getenv("RFF_TEST_FLAGS")) {
    spoiling_hook.flags = std::strtoull(flags, nullptr, 16);
  }
  rff::instrument::for_each_patched_module([](const rff::instrument::PatchedModule& module) {
    module.slots()->complex = reinterpret_cast<std::uint64_t>(&on_complex);
    module.slots()->access = reinterpret_cast<std::uint64_t>(&spoiling_hook);
    module.slots()->block = reinterpret_cast<std::uint64_t>(&spoiling_hook);
    module.slots()->comparison = reinterpret_cast<std::uint64_t>(&spoiling_hook);
  });
}

}  // namespace
