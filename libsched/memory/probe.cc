// Looking at the target's memory before the target does: the address may be bad, and then the crash
// must be the target's, at its own instruction.
#include "libsched/memory/accesses.h"

extern "C" {
extern const char rff_probe_load[];
extern const char rff_probe_failed[];
bool rff_probe(std::uint64_t address, std::uint64_t* value);
}

asm(R"(
  .text
  .hidden rff_probe
  .hidden rff_probe_load
  .hidden rff_probe_failed
  .globl rff_probe, rff_probe_load, rff_probe_failed
  .type rff_probe, @function
rff_probe:
  .cfi_startproc
rff_probe_load:
  movq (%rdi), %rax
  movq %rax, (%rsi)
  movl $1, %eax
  ret
rff_probe_failed:
  xorl %eax, %eax
  ret
  .cfi_endproc
  .size rff_probe, . - rff_probe
)");

namespace rff {

bool probe_word(std::uint64_t address, std::uint64_t* value) { return rff_probe(address, value); }

bool probe_fault(std::uint64_t rip, std::uint64_t* resume) {
  if (rip != reinterpret_cast<std::uint64_t>(rff_probe_load)) {
    return false;
  }
  *resume = reinterpret_cast<std::uint64_t>(rff_probe_failed);
  return true;
}

}  // namespace rff
