#include "libsched/support/hook_stacks.h"

#include "libsched/support/places.h"

// The stack of the fastest path ends in a slot that keeps the stack pointer of whoever entered. It
// needs few words, but the kernel puts its frame there, too, if a signal comes.
asm(R"(
  .pushsection .bss.rff_fast_stack, "aw", @nobits
  .globl rff_fast_stack, rff_fast_slot, rff_fast_stack_used
  .hidden rff_fast_stack, rff_fast_slot, rff_fast_stack_used
  .balign 64
rff_fast_stack:
  .skip 0x4000 - 8
rff_fast_slot:
  .skip 8
rff_fast_stack_used:
  .skip 4
  .popsection
)");

extern "C" {
__attribute__((visibility("hidden"))) extern const char rff_fast_stack[];
__attribute__((visibility("hidden"))) extern const char rff_fast_slot[];
// The linker defines them, if there is such a section.
__attribute__((weak, visibility("hidden"))) extern const char __start_rff_entries[];
__attribute__((weak, visibility("hidden"))) extern const char __stop_rff_entries[];
}

namespace rff {

bool in_hook(std::uint64_t rip, std::uint64_t rsp) {
  auto at = [](const char* place) { return reinterpret_cast<std::uint64_t>(place); };
  constexpr auto kEnd = static_cast<std::uint64_t>(places::kRuntimeStackEnd);
  constexpr auto kSize = static_cast<std::uint64_t>(places::kRuntimeStackSize);
  return (rip >= at(__start_rff_entries) && rip < at(__stop_rff_entries)) ||
         (rsp >= at(rff_fast_stack) && rsp <= at(rff_fast_slot)) || kEnd - rsp <= kSize;
}

}  // namespace rff
